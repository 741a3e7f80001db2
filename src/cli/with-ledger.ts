/**
 * Finds the ledger that a command means. DuckDB opens a file for one process, so while a server runs it is asked over HTTP, with the
 * token it left beside the store; otherwise the store is opened here. A command need not know which.
 */
import { type Configuration, readConfiguration, storeUrl } from '../server/configuration.ts';
import { readServerFile, type ServerFile, serverFilePath } from '../server/server-file.ts';
import { openStore } from '../store/open-store.ts';
import { chooseOrg } from './choose-org.ts';
import type { CommandInput, CommandOption } from './command.ts';
import { readConfigurationFile } from './configuration-file.ts';
import type { Io } from './io.ts';
import type { Ledger } from './ledger.ts';
import { ledgerInStore } from './ledger-in-store.ts';
import { ledgerOverHttp } from './ledger-over-http.ts';
import { refuseMissing } from './store-file.ts';

/** For commands that work on the ledger. */
export const STORE_OPTION: CommandOption = {
  name: 'store',
  type: 'string',
  summary:
    'The ledger: duckdb:path or clickhouse://…. Without it RENOWN_STORE, RENOWN_DATA, renown.yaml, or ./renown.duckdb',
};

/** Hands over the ledger that a command line means, and lets go of it whatever happens. Makes none unless it may. */
export async function withLedger<T>(
  input: CommandInput,
  io: Io,
  use: (ledger: Ledger) => Promise<T>,
  { mayMake = false }: { mayMake?: boolean } = {},
): Promise<T> {
  const configuration = await configurationOf(input, io);
  const url = storeUrl(configuration);
  const server = await findServer(url);
  if (server) return use(server);
  if (!mayMake) await refuseMissing(configuration, { mayAskServer: false });
  // What is made here holds hashes of keys.
  process.umask(0o077);
  const store = await openStore(url, { spoolDir: configuration.spool });
  const ledger = ledgerInStore(store);
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
    await store.close();
  }
}

/** For commands that work within one org. */
export const ORG_OPTION: CommandOption = {
  name: 'org',
  type: 'string',
  summary: 'The org; may be left out when there is only one',
};

/** The org that a command line means. */
export async function orgOf(input: CommandInput, ledger: Ledger, commandName: string): Promise<string> {
  const { items } = await ledger.listOrgs();
  const orgIds = items.map(({ org_id }) => org_id);
  return chooseOrg(input, orgIds, commandName);
}

export async function configurationOf({ options }: CommandInput, io: Io): Promise<Configuration> {
  const file = await readConfigurationFile(undefined);
  const flags = options.store === undefined ? {} : { store: options.store };
  return readConfiguration({ flags, env: io.env, file });
}

/** The ledger of the server that has the store open, if there is one and it answers. */
export async function findServer(url: string): Promise<Ledger | null> {
  const file = await findServerFile(url);
  return file && ledgerOverHttp(file);
}

/** Where the server that has the store open is, if there is one and it answers. */
export async function findServerFile(url: string): Promise<ServerFile | null> {
  const path = serverFilePath(url);
  const file = path === null ? null : await readServerFile(path, isAlive);
  if (!file) return null;
  // A number of a process can be given out again: only an answer tells that the server is still there.
  const answers = await fetch(`${file.url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
  return answers ? file : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
