/**
 * What was read from a file before, so that a second run reads only what is new: how far it got, and the events it found
 * as numbers and names. No payload ever comes here. An entry belongs to a file by its inode and a hash of its edges; a
 * file that became shorter, or another under the same inode, has none. Deleting the folder costs time and changes no
 * number; an entry that is damaged or cannot be read counts as none.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ColumnPart } from '../event-columns.ts';
import { SessionTable } from '../session-table.ts';
import type { Reading } from '../telemetry-reader.ts';
import { checksumOf } from './checksum.ts';
import type { OpenFile } from './open-file.ts';

/** Changes with every change of what an entry holds, or of what a dialect makes of a record. */
const VERSION = 'renown-reading-11';
/** More than any header has. */
const HEADER_BYTES_MAX = 4_096;

export interface CachedReading {
  /** How many bytes of the file are in it: all complete lines up to there. */
  offset: number;
  /** Of the file up to there. */
  edges: number;
  reading: Reading;
  table: SessionTable;
}

interface Header {
  version: string;
  offset: number;
  edges: number;
  /** What lies behind this line: tallies and what has a name, as JSON, and the columns. */
  parts: { byteLength: number; checksum: number }[];
}

export function loadReading(folder: string, file: OpenFile): CachedReading | null {
  try {
    const entry = openSync(pathOf(folder, file), 'r');
    try {
      return readEntry(entry, file);
    } finally {
      closeSync(entry);
    }
  } catch {
    return null;
  }
}

/** Written aside and moved into place, because two runs may judge the same file. */
export function saveReading(
  folder: string,
  file: OpenFile,
  { offset, edges, reading, table }: CachedReading,
): void {
  const { described, columns } = table.toParts();
  const parts = [Buffer.from(JSON.stringify(reading)), Buffer.from(described), ...columns];
  const header: Header = {
    version: VERSION,
    offset,
    edges,
    parts: parts.map((part) => ({ byteLength: part.byteLength, checksum: checksumOf(part) })),
  };
  const fresh = `${pathOf(folder, file)}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...parts]), {
      mode: 0o600,
    });
    renameSync(fresh, pathOf(folder, file));
  } catch {
    // A cache that cannot be written is no reason to fail; the next run reads everything again.
    if (existsSync(fresh)) rmSync(fresh);
  }
}

function pathOf(folder: string, { id }: OpenFile): string {
  return join(folder, `${id}.reading`);
}

function readEntry(entry: number, file: OpenFile): CachedReading | null {
  const bytes = Buffer.alloc(HEADER_BYTES_MAX);
  const end = bytes.subarray(0, readSync(entry, bytes, 0, HEADER_BYTES_MAX, 0)).indexOf('\n');
  const { version, offset, edges, parts } = JSON.parse(bytes.toString('utf8', 0, end)) as Header;
  if (version !== VERSION || !(offset >= 0 && offset <= file.size)) return null;
  if (file.edgesAt(offset) !== edges) return null;
  let at = end + 1;
  const [tallies, described, ...columns] = parts.map((part) => {
    const found = new EntryPart(entry, at, part);
    at += part.byteLength;
    return found;
  });
  const reading = JSON.parse(tallies?.text() ?? '') as Reading;
  const table = SessionTable.fromParts({ described: described?.text() ?? '', columns });
  return { offset, edges, reading, table };
}

/** A part of an entry. It is read straight to where it belongs: there are megabytes. */
class EntryPart implements ColumnPart {
  readonly byteLength: number;
  readonly #checksum: number;
  readonly #entry: number;
  readonly #at: number;

  constructor(entry: number, at: number, { byteLength, checksum }: Header['parts'][number]) {
    this.#entry = entry;
    this.#at = at;
    this.byteLength = byteLength;
    this.#checksum = checksum;
  }

  copyTo(target: Uint8Array): void {
    readSync(this.#entry, target, 0, this.byteLength, this.#at);
    if (checksumOf(target.subarray(0, this.byteLength)) !== this.#checksum)
      throw new RangeError('an entry of the cache is damaged');
  }

  text(): string {
    const bytes = Buffer.alloc(this.byteLength);
    this.copyTo(bytes);
    return bytes.toString('utf8');
  }
}
