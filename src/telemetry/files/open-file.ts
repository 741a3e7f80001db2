/**
 * A file that was opened once. Whatever happens to its name meanwhile, it stays the same file, for the other thread too: a
 * descriptor belongs to the process.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Fingerprint } from '../fingerprint.ts';

const EDGE_BYTES = 4_096;
const MAGIC = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

export type Compression = keyof typeof MAGIC;

export class OpenFile {
  readonly descriptor: number;
  /** Device and inode: no other file has them while it is there. */
  readonly id: string;
  /** False for a pipe, which can be read once and from its beginning. */
  readonly isRegular: boolean;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
    const stats = fstatSync(descriptor, { bigint: true });
    this.id = `${stats.dev}-${stats.ino}`;
    this.isRegular = stats.isFile();
  }

  /** Null when nothing is there. */
  static open(path: string): OpenFile | null {
    try {
      return new OpenFile(openSync(path, 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  get size(): number {
    return fstatSync(this.descriptor).size;
  }

  /** Changes with every change of it. */
  get stamp(): string {
    const { size, mtimeNs, ctimeNs } = fstatSync(this.descriptor, { bigint: true });
    return `${size}-${mtimeNs}-${ctimeNs}`;
  }

  /** Whether it has no name any more. */
  get isDeleted(): boolean {
    return fstatSync(this.descriptor).nlink === 0;
  }

  /** How it is compressed, by what it contains, whatever its name says; null for a plain one. */
  get compression(): Compression | null {
    const head = Buffer.alloc(MAGIC.zstd.length);
    readSync(this.descriptor, head, 0, head.length, 0);
    return compressionOf(head);
  }

  /** How it begins, and what stands before an offset: one that was written anew under the same inode has another. */
  edgesAt(offset: number): number {
    const length = Math.min(EDGE_BYTES, offset);
    return new Fingerprint().add(this.#text(0, length)).add(this.#text(offset - length, length)).value;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  #text(position: number, length: number): string {
    const bytes = Buffer.alloc(length);
    return bytes.toString('latin1', 0, readSync(this.descriptor, bytes, 0, length, position));
  }
}

export function compressionOf(head: Uint8Array): Compression | null {
  const starts = (magic: readonly number[]) => magic.every((byte, i) => head[i] === byte);
  return starts(MAGIC.gzip) ? 'gzip' : starts(MAGIC.zstd) ? 'zstd' : null;
}
