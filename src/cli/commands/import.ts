import { statSync } from 'node:fs';
import { access, constants, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { importLines, parseJsonLines } from '../../service/ledger-file.ts';
import { importParquet } from '../../service/ledger-parquet.ts';
import { importReputationTable } from '../../service/reputation-table.ts';
import { readParquet } from '../../store/parquet.ts';
import { type Command, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import type { Ledger } from '../ledger.ts';
import { createProgress } from '../progress.ts';
import { unreadable } from '../read-text.ts';
import { orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';

export const importCommand: Command = {
  usage: 'import <file> [--reputation-events --org <value>] [--store <value>]',
  arguments: [
    { name: '<file>', summary: 'A file of JSON Lines, - for standard input, or a folder of Parquet files' },
  ],
  options: [
    {
      name: 'reputation-events',
      type: 'boolean',
      summary: 'The file is an existing reputation_events table: Parquet, or JSON Lines (JSONEachRow)',
    },
    { name: 'org', type: 'string', summary: 'The org that its events shall belong to' },
    STORE_OPTION,
  ],
  examples: [
    { says: 'into a ledger of another name', line: 'renown import ledger.jsonl --store duckdb:copy.duckdb' },
    {
      says: 'a table that another system kept',
      line: 'renown import reputation_events.parquet --reputation-events --org acme',
    },
  ],
  async run(input, io) {
    const [file] = input.positionals;
    if (file === undefined) throw usageError('Say which file, or - for standard input', 'import');
    const isTable = input.options['reputation-events'] === true;
    const { org } = input.options;
    if (isTable !== (typeof org === 'string'))
      throw usageError('--reputation-events and --org belong together', 'import');
    await refuseUnreadable(file);
    const carryOver = async (ledger: Ledger) => {
      const result = isTable
        ? await importTable(ledger, { file, orgId: await orgOf(input, ledger, 'import') }, io)
        : isFolder(file)
          ? await importFolder(ledger, file, io)
          : await importLines(ledger, readLines(file, io));
      io.stdout.write(`${JSON.stringify(result)}\n`);
    };
    // A table belongs to an org, and a new ledger has none.
    await withLedger(input, io, carryOver, { mayMake: !isTable });
  },
};

/** Looked at before the ledger is, which would be made for nothing. */
async function refuseUnreadable(file: string): Promise<void> {
  if (file === '-') return;
  await access(file, constants.R_OK).catch((cause) => {
    throw unreadable(file, cause);
  });
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function importFolder(ledger: Ledger, folder: string, io: Io) {
  const progress = createProgress(io, 'rows');
  const result = await importParquet(ledger, folder, progress.add);
  progress.done();
  return result;
}

async function importTable(ledger: Ledger, { file, orgId }: { file: string; orgId: string }, io: Io) {
  const rows = file.endsWith('.parquet') ? readParquet(file) : parseEach(readLines(file, io));
  return importReputationTable(ledger, rows, orgId);
}

async function* parseEach(lines: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const { value } of parseJsonLines(lines)) yield value;
}

async function* readLines(file: string, io: Io): AsyncGenerator<string> {
  const progress = createProgress(io, 'rows');
  const input = file === '-' ? io.stdin : await openFile(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    yield line;
    progress.add();
  }
  progress.done();
}

async function openFile(file: string) {
  try {
    return (await open(file)).createReadStream();
  } catch (cause) {
    throw unreadable(file, cause);
  }
}
