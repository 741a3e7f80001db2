import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { importLines } from '../../service/ledger-file.ts';
import { importParquet } from '../../service/ledger-parquet.ts';
import type { Store } from '../../store/store.ts';
import { type Command, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import { createProgress } from '../progress.ts';
import { unreadable } from '../read-text.ts';
import { STORE_OPTION, withStore } from '../store-option.ts';

export const importCommand: Command = {
  usage: 'import <file> [--store <value>]',
  arguments: [
    { name: '<file>', summary: 'A file of JSON Lines, - for standard input, or a folder of Parquet files' },
  ],
  options: [STORE_OPTION],
  examples: [
    { says: 'into a ledger of another name', line: 'renown import ledger.jsonl --store duckdb:copy.duckdb' },
  ],
  async run(input, io) {
    const [file] = input.positionals;
    if (file === undefined) throw usageError('Say which file, or - for standard input', 'import');
    await withStore(input, io, async (store) => {
      const result = isFolder(file)
        ? await importFolder(store, file, io)
        : await importLines(store, readLines(file, io));
      io.stdout.write(`${JSON.stringify(result)}\n`);
    });
  },
};

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function importFolder(store: Store, folder: string, io: Io) {
  const progress = createProgress(io, 'rows');
  const result = await importParquet(store, folder, progress.add);
  progress.done();
  return result;
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
