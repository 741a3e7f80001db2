/** Reads sources of telemetry into one table of sessions. */
import { SessionTable } from '../session-table.ts';
import { NOTHING_READ, type Reading } from '../telemetry-reader.ts';
import { Held, SourceFile, type SourceOptions, type Unfinished } from './source-file.ts';

/** What was read from all sources, and what of it could not be used. */
export interface SourcesRead {
  table: SessionTable;
  reading: Reading & Unfinished;
}

export class Sources {
  readonly #files: SourceFile[] = [];
  readonly #options: SourceOptions;
  readonly #held = new Held();

  constructor(paths: readonly string[], options: SourceOptions) {
    this.#options = options;
    this.include(paths);
  }

  /** Whether nothing can come any more from any of them. */
  get isOver(): boolean {
    return this.#files.every((file) => file.isOver);
  }

  /** Those that are not known yet; they are read the next time. */
  include(paths: readonly string[]): void {
    const known = new Set(this.#files.map(({ path }) => path));
    for (const path of paths) {
      if (!known.has(path)) this.#files.push(new SourceFile(path, this.#options, this.#held));
    }
  }

  /** Reads what is new. True if there was anything. */
  async read(stdin: NodeJS.ReadableStream): Promise<boolean> {
    let isNew = false;
    for (const file of this.#files) isNew = (await file.read(stdin)) || isNew;
    return isNew;
  }

  /** All that was read so far. The table of a single source is its own, and goes on growing. */
  get all(): SourcesRead {
    const [first] = this.#files;
    const table = this.#files.length === 1 && first ? first.table : new SessionTable();
    if (this.#files.length !== 1) for (const file of this.#files) table.merge(file.table);
    const reading = { ...NOTHING_READ, unfinishedLines: 0, cutFiles: 0, zstdFiles: 0 };
    for (const file of this.#files) {
      for (const [name, count] of Object.entries({ ...file.reading, ...file.unfinished })) {
        reading[name as keyof typeof reading] += count;
      }
    }
    return { table, reading };
  }
}
