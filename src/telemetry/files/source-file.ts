/**
 * One source of telemetry as it grows: reads what is new since the last time, from its cache or from this process. Whoever
 * writes it may rotate it. A file that is followed stays open, so that it is read to its end even when it was moved away;
 * then another file under its name is read from its beginning, as is one that was written anew, and what was read before
 * stays.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inMemory } from '../event-columns.ts';
import { SessionTable } from '../session-table.ts';
import { NOTHING_READ, type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { OpenFile } from './open-file.ts';
import { readGzipped, readPipe, readPlain, readStream } from './read-file.ts';
import { readSecondHalf } from './read-in-two.ts';
import { loadReading, saveReading } from './reading-cache.ts';

/** Below this, reading again is as quick as reading a cache. */
const CACHED_BYTES_MIN = 256 * 1024;
/** And while this share of a file is new since it was saved, reading that again is quicker than saving it all. */
const UNSAVED_SHARE_MAX = 1 / 32;
/** How long a stream that is followed is listened to before the word goes back. */
const LISTEN_MS = 1_000;

export interface Unfinished {
  unfinishedLines: number;
  /** Zipped files that break off, and files zipped in a way that cannot be read here. */
  cutFiles: number;
  zstdFiles: number;
}

export interface SourceOptions {
  /** Without a folder nothing is cached. */
  cacheFolder: string | null;
  /** Whether it will be read again and again. */
  isFollowed: boolean;
}

export class SourceFile {
  readonly path: string;
  readonly unfinished: Unfinished = { unfinishedLines: 0, cutFiles: 0, zstdFiles: 0 };
  #table = new SessionTable();
  #reader = new TelemetryReader(this.#table);
  readonly #isFollowed: boolean;
  #cacheFolder: string | null;
  #file: OpenFile | null = null;
  /** Of the file that was read last; null before there was one. */
  #id: string | null = null;
  #offset = 0;
  /** Those of what was read of it. */
  #edges = 0;
  /** How much of it is in the cache. */
  #saved = 0;
  /** What the last line added that may still grow: it is read again with the next bytes. */
  #ofRest: Reading = NOTHING_READ;
  #stream: Stream | null = null;

  constructor(path: string, { cacheFolder, isFollowed }: SourceOptions) {
    this.path = path;
    this.#cacheFolder = cacheFolder;
    this.#isFollowed = isFollowed;
  }

  get table(): SessionTable {
    return this.#table;
  }

  get reading(): Reading {
    return add(this.#reader.reading, this.#ofRest);
  }

  /** Whether nothing can come any more: a stream that has ended. */
  get isOver(): boolean {
    return this.#stream?.isOver === true && (this.path === '-' || this.#file?.isRegular === false);
  }

  /** True if there was anything new. */
  async read(stdin: NodeJS.ReadableStream): Promise<boolean> {
    if (this.path === '-') return this.#listen((lines) => readStream(stdin, lines));
    try {
      let isNew = this.#file !== null && (await this.#readFile(this.#file));
      const other = this.#openOther();
      if (other) isNew = (await this.#readFile(other)) || isNew;
      return isNew;
    } finally {
      if (!this.#isFollowed) this.#letGo();
    }
  }

  /** What stands under the path, unless it is what is open already. */
  #openOther(): OpenFile | null {
    // A pipe has no second life, and to open it again would wait for one.
    if (this.#file?.isRegular === false) return null;
    const found = OpenFile.open(this.path);
    if (found === null || found.id === this.#file?.id) {
      found?.close();
      return null;
    }
    this.#letGo();
    this.#file = found;
    if (this.#id === null) this.#recall(found);
    else if (found.id !== this.#id) this.#startOver();
    this.#id = found.id;
    return found;
  }

  #letGo(): void {
    this.#file?.close();
    this.#file = null;
  }

  #recall(file: OpenFile): void {
    const cached = this.#cacheFolder === null ? null : loadReading(this.#cacheFolder, file);
    if (!cached) return;
    this.#table = cached.table;
    this.#reader = new TelemetryReader(this.#table, { reading: cached.reading });
    this.#offset = this.#saved = cached.offset;
    this.#edges = cached.edges;
  }

  /** The cache belongs to the file that was there: it must not learn what is read from another. */
  #startOver(): void {
    this.#offset = 0;
    this.#stream = null;
    this.#cacheFolder = null;
  }

  async #readFile(file: OpenFile): Promise<boolean> {
    if (!file.isRegular) return this.#listen((lines) => readPipe(file, lines));
    if (this.#isWrittenAnew(file)) this.#startOver();
    const { compression } = file;
    this.unfinished.zstdFiles = compression === 'zstd' ? 1 : 0;
    if (compression === 'zstd') return false;
    if (compression === 'gzip') return this.#readToEnd((lines) => readGzipped(file, lines));
    const before = this.#offset;
    await this.#readInTwo(file);
    const lines = this.#lines();
    readPlain(file.descriptor, this.#offset, lines);
    this.#offset += lines.consumed;
    this.#reader.reading.tooLongLines += lines.tooLong;
    if (this.#offset > before) this.#remember(file);
    return this.#readRest(lines) || this.#offset > before;
  }

  #isWrittenAnew(file: OpenFile): boolean {
    return file.size < this.#offset || (this.#offset > 0 && file.edgesAt(this.#offset) !== this.#edges);
  }

  /** A source that is read to its end and not again: a stream has nothing more, and a zipped file does not grow. */
  async #readToEnd(readAll: (lines: ByteLines) => Promise<boolean>): Promise<boolean> {
    if (this.#stream?.isOver) return false;
    const stream = this.#begin(readAll);
    await stream.ending;
    return stream.takeNews();
  }

  /** The same for one that may go on for long: whoever follows it hears now and then what has come. */
  async #listen(readAll: (lines: ByteLines) => Promise<boolean>): Promise<boolean> {
    if (!this.#isFollowed) return this.#readToEnd(readAll);
    const stream = this.#begin(readAll);
    await Promise.race([stream.ending, sleep(LISTEN_MS, undefined, { ref: false })]);
    return stream.takeNews();
  }

  #begin(readAll: (lines: ByteLines) => Promise<boolean>): Stream {
    this.#stream ??= new Stream(this.#lines(), async (lines) => {
      this.unfinished.cutFiles = (await readAll(lines)) ? 0 : 1;
      this.#reader.reading.tooLongLines += lines.tooLong;
      return this.#readRest(lines);
    });
    return this.#stream;
  }

  #lines(): ByteLines {
    return new ByteLines((bytes, start, end) => {
      if (!this.#reader.readLine(bytes, start, end)) this.#reader.reading.brokenLines++;
    });
  }

  /** A large stretch with a second thread; what is left over is read as ever. */
  async #readInTwo(file: OpenFile): Promise<void> {
    const half = readSecondHalf(file, this.#offset);
    if (!half) return;
    const lines = this.#lines();
    readPlain(file.descriptor, this.#offset, lines, half.from);
    const { consumed, reading, described, columns } = await half.reading;
    this.#table.merge(SessionTable.fromParts({ described, columns: columns.map(inMemory) }));
    Object.assign(this.#reader.reading, add(this.#reader.reading, reading));
    this.#reader.reading.tooLongLines += lines.tooLong;
    this.#offset = half.from + consumed;
  }

  #remember(file: OpenFile): void {
    this.#edges = file.edgesAt(this.#offset);
    if (this.#cacheFolder === null || this.#offset < CACHED_BYTES_MIN) return;
    if (this.#offset - this.#saved < this.#offset * UNSAVED_SHARE_MAX) return;
    this.#saved = this.#offset;
    saveReading(this.#cacheFolder, file, {
      offset: this.#offset,
      edges: this.#edges,
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
    this.#ofRest = lines.isRestTooLong ? { ...NOTHING_READ, tooLongLines: 1 } : NOTHING_READ;
    if (rest.length === 0) return false;
    const reader = new TelemetryReader(this.#table);
    const isWhole = reader.readLine(rest, 0, rest.length);
    if (!isWhole) this.unfinished.unfinishedLines = 1;
    this.#ofRest = reader.reading;
    return isWhole;
  }
}

/** What comes by itself, once it has begun. */
class Stream {
  /** Rejects when reading failed. */
  readonly ending: Promise<void>;
  isOver = false;
  readonly #lines: ByteLines;
  #told = 0;
  #hasRest = false;

  /** `readAll` answers whether the end of it was a line too. */
  constructor(lines: ByteLines, readAll: (lines: ByteLines) => Promise<boolean>) {
    this.#lines = lines;
    this.ending = readAll(lines).then((hasRest) => {
      this.#hasRest = hasRest;
      this.isOver = true;
    });
    // Whoever waits for it hears of a failure; between two looks nobody does.
    this.ending.catch(() => undefined);
  }

  /** Whether anything has come since it was last asked. */
  takeNews(): boolean {
    const isNew = this.#lines.consumed > this.#told || this.#hasRest;
    this.#told = this.#lines.consumed;
    this.#hasRest = false;
    return isNew;
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
