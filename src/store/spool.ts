/**
 * A bounded queue on disk, for what was acknowledged while the server it belongs to is away. A record is on the disk
 * before `append` resolves. Records come out in the order in which they went in, and stay until all before and including
 * them were handled: after a crash some are handled again, so handling must be repeatable.
 *
 * Each process writes a file of its own, and takes over those of processes that are no more. A record that was cut off by
 * a crash was never acknowledged, and is left out.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { RenownError } from '../core/errors.ts';

const NAME = /^spool-(\d+)-[0-9a-f-]+\.jsonl$/;

/** Files that this very process has open: it may have several stores, and its number may have been another's before. */
const ownFiles = new Set<string>();

export class Spool<T> {
  readonly #folder: string;
  readonly #path: string;
  readonly #bytesMax: number;
  /** Made with the first record: most spools never see one. */
  #file: FileHandle | null = null;
  /** Where each record that waits begins, and its length. */
  #waiting: { start: number; length: number }[] = [];
  #end = 0;

  private constructor(folder: string, bytesMax: number) {
    this.#folder = folder;
    this.#path = join(folder, `spool-${process.pid}-${randomUUID()}.jsonl`);
    this.#bytesMax = bytesMax;
  }

  /** Opens a spool in a folder, with what was left there. */
  static async open<T>(folder: string, { bytesMax }: { bytesMax: number }): Promise<Spool<T>> {
    const spool = new Spool<T>(folder, bytesMax);
    const left = existsSync(folder) ? (await readdir(folder)).filter((name) => isLeft(folder, name)) : [];
    for (const name of left.sort()) {
      const lines = toLines(await readFile(join(folder, name)));
      if (lines.length > 0) await spool.#write(lines);
      await rm(join(folder, name));
    }
    return spool;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Refuses with `store_unavailable` when there is no room, and has written nothing then. */
  async append(record: T): Promise<void> {
    const line = toLine(record);
    if (this.#end + line.length > this.#bytesMax) {
      throw new RenownError(
        'store_unavailable',
        `The server of the ledger is away and the spool is full (${this.#bytesMax} bytes). Nothing of this write was stored; send it again later.`,
      );
    }
    await this.#write([line]);
  }

  /** Every record that waits, oldest first. */
  async *records(): AsyncGenerator<T> {
    for (const { start, length } of [...this.#waiting]) yield await this.#read(start, length);
  }

  /** The oldest record that waits; undefined when there is none. */
  async peek(): Promise<T | undefined> {
    for await (const record of this.records()) return record;
    return undefined;
  }

  /** Lets go of the oldest records: they were handled. The room is free again when none is left. */
  async shift(count = 1): Promise<void> {
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) return;
    await this.#file?.truncate(0);
    await this.#file?.sync();
    this.#end = 0;
  }

  /** What waits stays on disk for the next to open the folder. */
  async close(): Promise<void> {
    await this.#file?.close();
    if (this.isEmpty) await rm(this.#path, { force: true });
    ownFiles.delete(this.#path);
  }

  async #openFile(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    ownFiles.add(this.#path);
    const file = await open(this.#path, 'wx+', 0o600);
    // A file is only there for good when its folder says so.
    const folder = await open(this.#folder);
    await folder.sync().finally(() => folder.close());
    return file;
  }

  async #write(lines: readonly Buffer[]): Promise<void> {
    const start = this.#end;
    const bytes = Buffer.concat(lines);
    try {
      this.#file ??= await this.#openFile();
      await writeAll(this.#file, bytes, start);
      await this.#file.sync();
    } catch (cause) {
      // What was written of it must not be taken for a record later on.
      await this.#file?.truncate(start).catch(() => undefined);
      throw new RenownError(
        'store_unavailable',
        `The server of the ledger is away and ${this.#path} could not be written. Nothing of this write was stored.`,
        { cause },
      );
    }
    for (const { length } of lines) {
      this.#waiting.push({ start: this.#end, length });
      this.#end += length;
    }
  }

  async #read(start: number, length: number): Promise<T> {
    const bytes = Buffer.alloc(length);
    await this.#file?.read(bytes, 0, length, start);
    return JSON.parse(bytes.toString('utf8', CHECK_LENGTH + 1)) as T;
  }
}

/** A disk that fills up takes a part of what it is given, and that is no error yet. */
async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}

const CHECK_LENGTH = 16;

/** One line: a checksum, a space, JSON. */
function toLine(record: unknown): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`${checkOf(json)} ${json}\n`);
}

/** The records of a file up to the first that is not whole. */
function toLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    if (end === 0) break;
    const line = bytes.subarray(start, end);
    const json = line.toString('utf8', CHECK_LENGTH + 1, line.length - 1);
    if (line.toString('latin1', 0, CHECK_LENGTH) !== checkOf(json)) break;
    lines.push(line);
    start = end;
  }
  return lines;
}

function checkOf(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, CHECK_LENGTH);
}

/** Whether a file is the spool of a process that is no more. */
function isLeft(folder: string, name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1]);
  if (!pid || ownFiles.has(join(folder, name))) return false;
  if (pid === process.pid || isOlderThanThisMachine(join(folder, name))) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Since the machine was started numbers of processes are given out anew. */
function isOlderThanThisMachine(path: string): boolean {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && written < Date.now() - uptime() * 1000;
}
