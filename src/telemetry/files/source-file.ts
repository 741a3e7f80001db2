/**
 * One source of telemetry as it grows: reads what is new since the last time, from its cache or from this process. Whoever
 * writes it may rotate it: another file under its name, or a shorter one, is read from its beginning, and what was read
 * before stays.
 */
import { statSync } from 'node:fs';
import { inMemory } from '../event-columns.ts';
import { SessionTable } from '../session-table.ts';
import { NOTHING_READ, type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { compressionOf, readGzipped, readPlain, readStream } from './read-file.ts';
import { readSecondHalf } from './read-in-two.ts';
import { cachePathOf, loadReading, saveReading } from './reading-cache.ts';

/** Below this, reading again is as quick as reading a cache. */
const CACHED_BYTES_MIN = 256 * 1024;
/** And while this share of a file is new since it was saved, reading that again is quicker than saving it all. */
const UNSAVED_SHARE_MAX = 1 / 32;

export interface Unfinished {
  unfinishedLines: number;
  /** Zipped files that break off, and files zipped in a way that cannot be read here. */
  cutFiles: number;
  zstdFiles: number;
}

export class SourceFile {
  readonly path: string;
  readonly unfinished: Unfinished = { unfinishedLines: 0, cutFiles: 0, zstdFiles: 0 };
  #table = new SessionTable();
  #reader = new TelemetryReader(this.#table);
  #offset = 0;
  /** What stands under the path; null before it was looked for. */
  #inode: number | null = null;
  #isDone = false;
  /** What the last line added that may still grow: it is read again with the next bytes. */
  #ofRest: Reading = NOTHING_READ;
  #cachePath: string | null;
  /** How much of it is in the cache. */
  #saved = 0;

  /** Without a folder nothing is cached. */
  constructor(path: string, cacheFolder: string | null) {
    this.path = path;
    this.#cachePath = cacheFolder === null || path === '-' ? null : cachePathOf(cacheFolder, path);
    const cached = this.#cachePath === null ? null : loadReading(this.#cachePath, path);
    if (!cached) return;
    this.#table = cached.table;
    this.#reader = new TelemetryReader(this.#table, { reading: cached.reading });
    this.#offset = cached.offset;
    this.#saved = cached.offset;
  }

  get table(): SessionTable {
    return this.#table;
  }

  get reading(): Reading {
    return add(this.#reader.reading, this.#ofRest);
  }

  /** True if there was anything new. */
  async read(stdin: NodeJS.ReadableStream): Promise<boolean> {
    if (this.path === '-') return this.#readOnce((lines) => readStream(stdin, lines));
    try {
      this.#noticeRotation();
      return await this.#readFile();
    } catch (error) {
      // Moved away, and nothing is there in its place yet.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** The cache belongs to the file that was there: it must not learn what is read from another. */
  #noticeRotation(): void {
    const { ino, size } = statSync(this.path);
    const isAnother = this.#inode !== null && (ino !== this.#inode || size < this.#offset);
    this.#inode = ino;
    if (!isAnother) return;
    this.#offset = 0;
    this.#isDone = false;
    this.#cachePath = null;
  }

  async #readFile(): Promise<boolean> {
    const compression = compressionOf(this.path);
    this.unfinished.zstdFiles = compression === 'zstd' ? 1 : 0;
    if (compression === 'zstd') return false;
    if (compression === 'gzip') return this.#readOnce((lines) => this.#readZipped(lines));
    const before = this.#offset;
    await this.#readInTwo();
    const lines = this.#lines();
    readPlain(this.path, this.#offset, lines);
    this.#offset += lines.consumed;
    this.#reader.reading.tooLongLines += lines.tooLong;
    if (this.#offset > before) this.#remember();
    return this.#readRest(lines) || this.#offset > before;
  }

  /** A source that is read to its end and not again: a stream has nothing more, and a zipped file does not grow. */
  async #readOnce(readAll: (lines: ByteLines) => Promise<void>): Promise<boolean> {
    if (this.#isDone) return false;
    this.#isDone = true;
    const lines = this.#lines();
    await readAll(lines);
    this.#reader.reading.tooLongLines += lines.tooLong;
    return this.#readRest(lines) || lines.consumed > 0;
  }

  async #readZipped(lines: ByteLines): Promise<void> {
    this.unfinished.cutFiles = (await readGzipped(this.path, lines)) ? 0 : 1;
  }

  #lines(): ByteLines {
    return new ByteLines((bytes, start, end) => {
      if (!this.#reader.readLine(bytes, start, end)) this.#reader.reading.brokenLines++;
    });
  }

  /** A large stretch with a second thread; what is left over is read as ever. */
  async #readInTwo(): Promise<void> {
    const half = readSecondHalf(this.path, this.#offset);
    if (!half) return;
    const lines = this.#lines();
    readPlain(this.path, this.#offset, lines, half.from);
    const { consumed, reading, described, columns } = await half.reading;
    this.#table.merge(SessionTable.fromParts({ described, columns: columns.map(inMemory) }));
    Object.assign(this.#reader.reading, add(this.#reader.reading, reading));
    this.#reader.reading.tooLongLines += lines.tooLong;
    this.#offset = half.from + consumed;
  }

  #remember(): void {
    if (this.#cachePath === null || this.#offset < CACHED_BYTES_MIN) return;
    if (this.#offset - this.#saved < this.#offset * UNSAVED_SHARE_MAX) return;
    this.#saved = this.#offset;
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
    this.#ofRest = NOTHING_READ;
    if (rest.length === 0) return false;
    const reader = new TelemetryReader(this.#table);
    const isWhole = reader.readLine(rest, 0, rest.length);
    if (!isWhole) this.unfinished.unfinishedLines = 1;
    this.#ofRest = reader.reading;
    return isWhole;
  }
}

function add(a: Reading, b: Reading): Reading {
  return {
    records: a.records + b.records,
    withoutSession: a.withoutSession + b.withoutSession,
    unknown: a.unknown + b.unknown,
    unsound: a.unsound + b.unsound,
    brokenLines: a.brokenLines + b.brokenLines,
    tooLongLines: a.tooLongLines + b.tooLongLines,
  };
}
