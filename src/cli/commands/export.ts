import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { RenownError } from '../../core/errors.ts';
import { exportLines } from '../../service/ledger-file.ts';
import { exportParquet } from '../../service/ledger-parquet.ts';
import { type Command, usageError } from '../command.ts';
import { createProgress } from '../progress.ts';
import { STORE_OPTION, withStore } from '../store-option.ts';
import { writeLine } from '../write-line.ts';

export const exportCommand: Command = {
  usage: 'export [file] [--parquet] [--store <value>]',
  arguments: [{ name: '[file]', summary: 'Where to; standard output when absent or -' }],
  options: [
    {
      name: 'parquet',
      type: 'boolean',
      summary: 'A new folder of Parquet files, one for each kind of row, in place of JSON Lines',
    },
    STORE_OPTION,
  ],
  examples: [
    { says: 'keep a readable copy', line: 'renown export ledger.jsonl' },
    { says: 'for analysts', line: 'renown export ledger --parquet' },
  ],
  async run(input, io) {
    const [file = '-'] = input.positionals;
    const asParquet = input.options.parquet === true;
    if (asParquet && file === '-') throw usageError('Say which folder the Parquet files go to', 'export');
    await withStore(input, io, async (store) => {
      const progress = createProgress(io, 'rows');
      if (asParquet) {
        await exportParquet(store, file, progress.add);
        io.stdout.write(`${JSON.stringify({ folder: file, rows: progress.done() })}\n`);
        return;
      }
      const target = file === '-' ? io.stdout : await createFile(file);
      for await (const line of exportLines(store)) {
        await writeLine(target, line);
        progress.add();
      }
      const rows = progress.done();
      if (file === '-') return;
      target.end();
      await finished(target);
      io.stdout.write(`${JSON.stringify({ file, rows })}\n`);
    });
  },
};

/** A new file that only its owner may read. One that exists is left alone. */
async function createFile(file: string) {
  try {
    return (await open(file, 'wx', 0o600)).createWriteStream();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already' : code;
    throw new RenownError('unwritable_output', `${file} could not be written: ${why}. Name another file.`, {
      cause,
    });
  }
}
