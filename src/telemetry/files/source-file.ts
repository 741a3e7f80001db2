/**
 * One source of telemetry as it grows: reads what is new since the last time, from its cache or from this process. Whoever
 * writes it may rotate it. A file that is followed stays open, so that it is read to its end even when it was moved away;
 * when there is something in another file under its name, that is read from its beginning, as is one that was written anew.
 * What was read before stays.
 */
import { inMemory } from '../event-columns.ts';
import { SessionTable } from '../session-table.ts';
import { NOTHING_READ, type Reading, TelemetryReader } from '../telemetry-reader.ts';
import { ByteLines } from './byte-lines.ts';
import { OpenFile } from './open-file.ts';
import { readGzipped, readPipe, readPlain, readStream } from './read-file.ts';
import { readSecondHalf } from './read-in-two.ts';
import { loadReading, saveReading } from './reading-cache.ts';
import { Stream } from './stream.ts';

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

/** How many files all sources hold open. Of more than these, what is written just before a rotation may be lost. */
export class Held {
  static readonly MAX = 256;
  count = 0;
}

export class SourceFile {
  readonly path: string;
  readonly unfinished: Unfinished = { unfinishedLines: 0, cutFiles: 0, zstdFiles: 0 };
  #table = new SessionTable();
  #reader = new TelemetryReader(this.#table);
  readonly #isFollowed: boolean;
  readonly #held: Held;
  #cacheFolder: string | null;
  #file: OpenFile | null = null;
  /** Of the file that was read last; null before there was one. */
  #id: string | null = null;
  #offset = 0;
  /** Those of what was read of it. */
  #edges = 0;
  /** How much of it is in the cache. */
  #saved = 0;
  /** As it was when it was read last. */
  #stamp = '';
  /** What the last line added that may still grow: it is read again with the next bytes. */
  #ofRest: Reading = NOTHING_READ;
  #stream: Stream | null = null;
  /** What had been counted when a zipped file was begun. */
  #beforeZipped: Reading | null = null;

  constructor(path: string, { cacheFolder, isFollowed }: SourceOptions, held: Held) {
    this.path = path;
    this.#held = held;
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
      const before = this.#file;
      let isNew = before !== null && (await this.#readFile(before));
      const other = this.#openOther(before);
      if (!other) return isNew;
      // What came since, and before the name was another's.
      if (before) isNew = (await this.#readFile(before)) || isNew;
      this.#moveOn(other);
      return (await this.#readFile(other)) || isNew;
    } finally {
      if (!this.#isFollowed || this.#held.count > Held.MAX || this.#file?.isDeleted) this.#letGo();
    }
  }

  /** What stands under the path, unless it is what is open already. */
  #openOther(before: OpenFile | null): OpenFile | null {
    // A pipe has no second life, and to open it again would wait for one.
    if (before?.isRegular === false) return null;
    const found = OpenFile.open(this.path);
    // Whoever rotates makes the new file first, and the writer comes to it later.
    const isNext = found && found.id !== before?.id && (before === null || found.size > 0);
    if (isNext) return found;
    found?.close();
    return null;
  }

  #moveOn(file: OpenFile): void {
    this.#letGo();
    this.#file = file;
    this.#held.count++;
    if (this.#id === null) this.#recall(file);
    else if (file.id !== this.#id) this.#startOver();
    this.#id = file.id;
  }

  #letGo(): void {
    if (!this.#file) return;
    this.#file.close();
    this.#file = null;
    this.#held.count--;
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
    this.#stamp = '';
    this.#stream = null;
    this.#beforeZipped = null;
    this.#cacheFolder = null;
  }

  async #readFile(file: OpenFile): Promise<boolean> {
    if (!file.isRegular) return this.#listen((lines) => readPipe(file, lines));
    const { stamp } = file;
    if (stamp === this.#stamp) return false;
    if (this.#isWrittenAnew(file)) this.#startOver();
    this.#stamp = stamp;
    const { compression } = file;
    this.unfinished.zstdFiles = compression === 'zstd' ? 1 : 0;
    if (compression === 'zstd') return false;
    if (compression === 'gzip') return this.#readZipped(file);
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

  /** All of it each time, because it cannot be read from the middle; what was counted of it before counts no more. */
  async #readZipped(file: OpenFile): Promise<boolean> {
    Object.assign(this.#reader.reading, this.#beforeZipped ?? {});
    this.#beforeZipped = { ...this.#reader.reading };
    const lines = this.#lines();
    await this.#readToEnd(lines, readGzipped(file, lines));
    return true;
  }

  /** What comes once and in its own time: whoever follows it hears now and then what has come. */
  async #listen(readAll: (lines: ByteLines) => Promise<boolean>): Promise<boolean> {
    if (this.#stream === null) {
      const lines = this.#lines();
      this.#stream = new Stream(lines, this.#readToEnd(lines, readAll(lines)));
    }
    await this.#stream.wait(this.#isFollowed ? LISTEN_MS : null);
    return this.#stream.takeNews();
  }

  /** Whether its end was a line too. */
  async #readToEnd(lines: ByteLines, reading: Promise<boolean>): Promise<boolean> {
    this.unfinished.cutFiles = (await reading) ? 0 : 1;
    this.#reader.reading.tooLongLines += lines.tooLong;
    return this.#readRest(lines);
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
