/**
 * What was read from a file before, so that a second run reads only what is new: how far it got, and the events it found
 * as numbers and names. No payload ever comes here. An entry belongs to a file by its inode and a hash of its head; a
 * file that became shorter, or another under the same inode, has none. Deleting the folder costs time and changes no
 * number; an entry that cannot be read counts as none.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ColumnPart } from '../event-columns.ts';
import { Fingerprint } from '../fingerprint.ts';
import { SessionTable } from '../session-table.ts';
import type { Reading } from '../telemetry-reader.ts';

/** Changes with every change of what an entry holds, or of what a dialect makes of a record. */
const VERSION = 'renown-reading-9';
const HEAD_BYTES = 4_096;
/** More than any header has. */
const HEADER_BYTES_MAX = 4_096;

export interface CachedReading {
  /** How many bytes of the file are in it: all complete lines up to there. */
  offset: number;
  reading: Reading;
  table: SessionTable;
}

interface Header {
  version: string;
  headBytes: number;
  headHash: number;
  offset: number;
  reading: Reading;
  /** Of the parts behind this line: what has a name, as JSON, and the columns. */
  lengths: number[];
}

/** Where a file's reading is kept; nowhere when there is no such file. */
export function cachePathOf(folder: string, path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? join(folder, `${found.dev}-${found.ino}.reading`) : null;
}

export function loadReading(cachePath: string, path: string): CachedReading | null {
  try {
    return withFile(cachePath, (file) => {
      const { header, end } = readHeader(file);
      if (header.version !== VERSION || header.offset > statSync(path).size) return null;
      if (hashHead(path, header.headBytes) !== header.headHash) return null;
      const [described, ...columns] = partsOf(file, end, header.lengths);
      const table = SessionTable.fromParts({ described: described?.toString() ?? '', columns });
      return { offset: header.offset, reading: header.reading, table };
    });
  } catch {
    return null;
  }
}

/** Written aside and moved into place, because two runs may judge the same file. */
export function saveReading(
  cachePath: string,
  path: string,
  { offset, reading, table }: CachedReading,
): void {
  const { described, columns } = table.toParts();
  const parts = [Buffer.from(described), ...columns];
  const headBytes = Math.min(HEAD_BYTES, offset);
  const header: Header = {
    version: VERSION,
    headBytes,
    headHash: hashHead(path, headBytes),
    offset,
    reading,
    lengths: parts.map(({ byteLength }) => byteLength),
  };
  const fresh = `${cachePath}.${process.pid}`;
  try {
    mkdirSync(join(cachePath, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...parts]), {
      mode: 0o600,
    });
    renameSync(fresh, cachePath);
  } catch {
    // A cache that cannot be written is no reason to fail; the next run reads everything again.
    if (existsSync(fresh)) rmSync(fresh);
  }
}

function readHeader(file: number): { header: Header; end: number } {
  const bytes = Buffer.alloc(HEADER_BYTES_MAX);
  const end = bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES_MAX, 0)).indexOf('\n');
  return { header: JSON.parse(bytes.toString('utf8', 0, end)) as Header, end: end + 1 };
}

/** What lies one behind the other in the file from there on. Each is read straight to where it belongs: there are megabytes. */
function partsOf(file: number, start: number, lengths: readonly number[]): FilePart[] {
  let at = start;
  return lengths.map((length) => {
    const part = new FilePart(file, at, length);
    at += length;
    return part;
  });
}

class FilePart implements ColumnPart {
  readonly byteLength: number;
  readonly #file: number;
  readonly #at: number;

  constructor(file: number, at: number, byteLength: number) {
    this.#file = file;
    this.#at = at;
    this.byteLength = byteLength;
  }

  copyTo(target: Uint8Array): void {
    const read = readSync(this.#file, target, 0, this.byteLength, this.#at);
    if (read !== this.byteLength) throw new RangeError('the file ends too early');
  }

  toString(): string {
    const bytes = Buffer.alloc(this.byteLength);
    this.copyTo(bytes);
    return bytes.toString('utf8');
  }
}

function hashHead(path: string, bytes: number): number {
  return withFile(path, (file) => {
    const head = Buffer.alloc(bytes);
    const read = readSync(file, head, 0, bytes, 0);
    return new Fingerprint().add(head.toString('latin1', 0, read)).value;
  });
}

function withFile<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}
