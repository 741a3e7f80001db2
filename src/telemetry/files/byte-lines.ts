/**
 * Bytes as lines, in memory that does not grow with the file: chunks go into one buffer, complete lines are handed out
 * of it, and only a line longer than the buffer makes it larger. A line above the limit is passed over and counted.
 */
import { LIMITS } from '../../core/limits.ts';

const NEWLINE = 0x0a;

/** Receives a line without its newline; the bytes are valid until it returns. */
export type LineSink = (bytes: Buffer, start: number, end: number) => void;

export class ByteLines {
  readonly #sink: LineSink;
  #buffer = Buffer.allocUnsafe(0);
  #start = 0;
  #end = 0;
  #searched = 0;
  #isTooLong = false;
  /** Bytes of a line above the limit that has not ended yet. */
  #passedOver = 0;
  /** Lines above the limit that have ended, which nobody saw. */
  tooLong = 0;
  /** Bytes of all lines that ended. */
  consumed = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** Room to read into; tell `filled` how much of it was used. */
  room(bytes: number): Buffer {
    if (this.#buffer.length - this.#end < bytes) this.#makeRoom(bytes);
    return this.#buffer.subarray(this.#end, this.#end + bytes);
  }

  filled(bytes: number): void {
    this.#end += bytes;
    for (;;) {
      const newline = this.#buffer.subarray(0, this.#end).indexOf(NEWLINE, this.#searched);
      if (newline === -1) break;
      if (this.#isTooLong) this.#endTooLong();
      else if (newline > this.#start) this.#sink(this.#buffer, this.#start, newline);
      this.consumed += newline + 1 - this.#start;
      this.#start = this.#searched = newline + 1;
    }
    this.#searched = this.#end;
    if (this.#end - this.#start > LIMITS.telemetryLineBytesMax) this.#dropLine();
  }

  push(chunk: Uint8Array): void {
    this.room(chunk.length).set(chunk);
    this.filled(chunk.length);
  }

  /** What came after the last newline: a line that is still being written, or a last one without an end. */
  rest(): Buffer {
    return this.#isTooLong ? Buffer.alloc(0) : this.#buffer.subarray(this.#start, this.#end);
  }

  /** Whether what came after the last newline is above the limit already. */
  get isRestTooLong(): boolean {
    return this.#isTooLong;
  }

  #dropLine(): void {
    this.#isTooLong = true;
    this.#passedOver += this.#end - this.#start;
    this.#start = this.#searched = this.#end;
  }

  #endTooLong(): void {
    this.tooLong++;
    this.consumed += this.#passedOver;
    this.#isTooLong = false;
    this.#passedOver = 0;
  }

  #makeRoom(bytes: number): void {
    const kept = this.#end - this.#start;
    const needed = kept + bytes;
    const target =
      needed > this.#buffer.length ? Buffer.allocUnsafe(Math.max(needed, 2 * kept, 2 * bytes)) : this.#buffer;
    this.#buffer.copy(target, 0, this.#start, this.#end);
    this.#searched -= this.#start;
    this.#buffer = target;
    this.#start = 0;
    this.#end = kept;
  }
}
