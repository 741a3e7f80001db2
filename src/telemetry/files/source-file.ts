/** One source of telemetry as it grows: reads what is new since the last time, from its cache or from this process. */
import { SessionTable } from '../session-table.ts';
import { type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { isGzipped, readGzipped, readPlain, readStream } from './read-file.ts';
import { cachePathOf, loadReading, saveReading } from './reading-cache.ts';

/** Below this, reading again is as quick as reading a cache. */
const CACHED_BYTES_MIN = 256 * 1024;

export interface Unfinished {
  tooLongLines: number;
  unfinishedLines: number;
}

export class SourceFile {
  readonly path: string;
  readonly unfinished: Unfinished = { tooLongLines: 0, unfinishedLines: 0 };
  #table = new SessionTable();
  #reader = new TelemetryReader(this.#table);
  #offset = 0;
  /** What the last line added that may still grow: it is read again with the next bytes. */
  #ofRest: Reading = NOTHING;
  readonly #cachePath: string | null;

  /** Without a folder nothing is cached. */
  constructor(path: string, cacheFolder: string | null) {
    this.path = path;
    this.#cachePath = cacheFolder === null || path === '-' ? null : cachePathOf(cacheFolder, path);
    const cached = this.#cachePath === null ? null : loadReading(this.#cachePath, path);
    if (!cached) return;
    this.#table = cached.table;
    this.#reader = new TelemetryReader(this.#table, cached.reading);
    this.#offset = cached.offset;
  }

  get table(): SessionTable {
    return this.#table;
  }

  get reading(): Reading {
    return add(this.#reader.reading, this.#ofRest);
  }

  /** True if there was anything new. */
  async read(stdin: NodeJS.ReadableStream): Promise<boolean> {
    const lines = new ByteLines((bytes, start, end) => {
      if (!this.#reader.readLine(bytes, start, end)) this.#reader.reading.brokenLines++;
    });
    if (this.path === '-') await readStream(stdin, lines);
    else if (isGzipped(this.path)) await readGzipped(this.path, lines);
    else readPlain(this.path, this.#offset, lines);
    this.unfinished.tooLongLines += lines.tooLong;
    const isPlain = lines.consumed > 0 && this.path !== '-' && !isGzipped(this.path);
    if (isPlain) this.#remember(lines.consumed);
    return this.#readRest(lines) || lines.consumed > 0;
  }

  #remember(bytes: number): void {
    this.#offset += bytes;
    if (this.#cachePath === null || this.#offset < CACHED_BYTES_MIN) return;
    saveReading(this.#cachePath, this.path, {
      offset: this.#offset,
      reading: this.#reader.reading,
      table: this.#table,
    });
  }

  /**
   * A last line without an end counts if it is whole. It will be read again when its end has come; that does no harm to
   * the sessions, and its tallies are kept apart so that it does none to them either.
   */
  #readRest(lines: ByteLines): boolean {
    const rest = lines.rest();
    this.unfinished.unfinishedLines = 0;
    this.#ofRest = NOTHING;
    if (rest.length === 0) return false;
    const reader = new TelemetryReader(this.#table);
    const isWhole = reader.readLine(rest, 0, rest.length);
    if (!isWhole) this.unfinished.unfinishedLines = 1;
    this.#ofRest = reader.reading;
    return isWhole;
  }
}

const NOTHING: Reading = { records: 0, withoutSession: 0, unknown: 0, brokenLines: 0 };

function add(a: Reading, b: Reading): Reading {
  return {
    records: a.records + b.records,
    withoutSession: a.withoutSession + b.withoutSession,
    unknown: a.unknown + b.unknown,
    brokenLines: a.brokenLines + b.brokenLines,
  };
}
