/**
 * The API as commands see it, wherever it is: at --url with a key, at the server that has the store open, or, when there
 * is none, in this process over the same routes.
 */
import { type ErrorBody, RenownError } from '../core/errors.ts';
import { storeUrl } from '../server/configuration.ts';
import { createContext } from '../server/create-context.ts';
import { type Asking, createInProcess } from '../server/in-process.ts';
import { agentRoutes } from '../server/routes/agents.ts';
import { alertRoutes } from '../server/routes/alerts.ts';
import { evaluationRoutes } from '../server/routes/evaluations.ts';
import { evidenceRoutes } from '../server/routes/evidence.ts';
import { gateRoutes } from '../server/routes/gates.ts';
import { receiptRoutes } from '../server/routes/receipts.ts';
import { sessionRoutes } from '../server/routes/sessions.ts';
import { alertOptions } from '../server/serve.ts';
import { openStore } from '../store/open-store.ts';
import { chooseOrg } from './choose-org.ts';
import { type CommandInput, type CommandOption, usageError } from './command.ts';
import type { Io } from './io.ts';
import { addressOf, namedServer } from './named-server.ts';
import { refuseMissing } from './store-file.ts';
import { configurationOf, findServerFile, ORG_OPTION, STORE_OPTION } from './with-ledger.ts';

export type Api = <T>(asking: Asking) => Promise<T>;

export const API_OPTIONS: readonly CommandOption[] = [
  {
    name: 'url',
    type: 'string',
    summary: 'A Renown server; RENOWN_URL without it, or the ledger of this machine',
  },
  {
    name: 'key',
    type: 'string',
    summary: 'A key of its org; RENOWN_KEY without it, which no process list shows',
  },
  ORG_OPTION,
  STORE_OPTION,
];

export async function withApi<T>(input: CommandInput, io: Io, use: (api: Api) => Promise<T>): Promise<T> {
  const { url: remote, key } = namedServer(input, io);
  if (remote && input.options.store === undefined) {
    const address = addressOf(remote, '');
    if (!key)
      throw usageError(`${remote.from} names a server; give a key of its org with RENOWN_KEY or --key`, '');
    return use(overHttp(address, { authorization: `Bearer ${key.value}` }));
  }
  const configuration = await configurationOf(input, io);
  const url = storeUrl(configuration);
  const server = await findServerFile(url);
  if (server) {
    const ask = overHttp(server.url, { authorization: `Bearer ${server.token}` });
    const { items } = await ask<{ items: { org_id: string }[] }>({ method: 'GET', path: '/local/orgs' });
    const org = chooseOrg(
      input,
      items.map(({ org_id }) => org_id),
      '',
    );
    return use(overHttp(server.url, { authorization: `Bearer ${server.token}`, 'x-renown-org': org }));
  }
  await refuseMissing(configuration, { mayAskServer: true });
  // What is made here holds hashes of keys.
  process.umask(0o077);
  const store = await openStore(url, { spoolDir: configuration.spool });
  try {
    const orgIds = (await store.orgs.list()).map(({ orgId }) => orgId);
    const alerts = alertOptions(configuration, QUIET);
    const context = await createContext(store, { configuration });
    const ask = createInProcess([
      ...evaluationRoutes(context),
      ...agentRoutes(context),
      ...evidenceRoutes(context),
      ...gateRoutes(context),
      ...receiptRoutes(context),
      ...sessionRoutes(context),
      ...alertRoutes(context, alerts),
    ]);
    const caller = { orgId: chooseOrg(input, orgIds, ''), actor: 'cli' };
    return await use(<T>(asking: Asking) => ask(caller, asking) as Promise<T>);
  } finally {
    await store.close();
  }
}

/** A command says itself what happened. */
const QUIET = { info() {}, warn() {}, error() {} };

function overHttp(url: string, headers: Record<string, string>): Api {
  return async <T>({ method = 'GET', path, body }: Asking): Promise<T> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      throw new RenownError('server_unavailable', `The server at ${url} does not answer. Is it running?`, {
        cause,
      });
    });
    if (answer.ok) return answer.json() as Promise<T>;
    const refusal = (await answer.json().catch(() => null)) as ErrorBody | null;
    if (!refusal?.code)
      throw new RenownError(
        'server_unavailable',
        `${url} answered ${answer.status}, and not as a Renown server would.`,
      );
    throw new RenownError(refusal.code, refusal.error, refusal.details ? { details: refusal.details } : {});
  };
}
