// One contestant of `npm run bench -- judge`, in a process of its own: `node judge-contestant.js <what> <file> [args]`.
// Its last line of standard error has its highest memory in kilobytes and the processor time of all its threads in
// milliseconds; whoever starts it measures the time on the clock.
import { openSync, readFileSync } from 'node:fs';

const [what = '', file = '', ...args] = process.argv.slice(2);

/** @type {Record<string, () => Promise<unknown>>} */
const CONTESTANTS = {
  /** The bytes, and nothing done with them. */
  async read() {
    const { ByteLines, readPlain } = await lineReader();
    readPlain(openSync(file, 'r'), 0, new ByteLines(() => undefined));
  },
  /** Every line parsed, and nothing done with it. */
  async parse() {
    const { ByteLines, readPlain } = await lineReader();
    let batches = 0;
    const lines = new ByteLines(
      (/** @type {Buffer} */ bytes, /** @type {number} */ start, /** @type {number} */ end) => {
        batches += JSON.parse(bytes.toString('utf8', start, end)).resourceLogs.length;
      },
    );
    readPlain(openSync(file, 'r'), 0, lines);
    return batches;
  },
  async sql() {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const query = readFileSync(new URL('./judge.sql', import.meta.url), 'utf8').replaceAll(
      '$file',
      `'${file}'`,
    );
    const reader = await connection.runAndReadAll(query);
    process.stdout.write(`${reader.getRowObjects().length} sessions\n`);
  },
  /** The program itself, which reads the line it was started with. */
  async judge() {
    process.argv.splice(2, Number.POSITIVE_INFINITY, 'judge', file, ...args);
    await import(new URL('../dist/renown/main.js', import.meta.url).href);
  },
};

async function lineReader() {
  const folder = new URL('../dist/telemetry/files/', import.meta.url);
  const [{ ByteLines }, { readPlain }] = await Promise.all([
    import(new URL('byte-lines.js', folder).href),
    import(new URL('read-file.js', folder).href),
  ]);
  return { ByteLines, readPlain };
}

await CONTESTANTS[what]?.();
const { user, system } = process.cpuUsage();
process.stderr.write(`${process.resourceUsage().maxRSS} ${(user + system) / 1000}\n`);
