/**
 * Walks over the fields of a protobuf message and builds only what it is asked for. Unknown fields are skipped by their
 * wire type, so that a newer sender does no harm. Whatever the bytes are, it ends: with the last field or a
 * `ProtobufFault`, and never by reading beyond the message.
 */
import { StringPool } from './string-pool.ts';

/** The bytes are no protobuf message, or end too early. */
export class ProtobufFault extends Error {}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;
const TWO_32 = 4_294_967_296;

export class ProtobufCursor {
  readonly #pool = new StringPool();
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #wire = 0;

  reset(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#at = 0;
    this.#end = bytes.length;
  }

  /** The number of the next field, its value to be read or skipped; 0 at the end of the message. */
  next(): number {
    if (this.#at === this.#end) return 0;
    const tag = this.#varint();
    // As 32 bits, and right for all that are: a longer tag has no field number that any message uses.
    const field = tag < TWO_32 ? tag >>> 3 : Math.floor(tag / 8);
    this.#wire = tag % 8;
    if (field === 0) throw new ProtobufFault();
    return field;
  }

  skip(): void {
    if (this.#wire === VARINT) this.#varint();
    else if (this.#wire === FIXED64) this.#advance(8);
    else if (this.#wire === LENGTH_DELIMITED) this.#advance(this.#varint());
    else if (this.#wire === FIXED32) this.#advance(4);
    else throw new ProtobufFault();
  }

  /** Steps into an embedded message; `close` takes what this returns and steps out behind it. */
  open(): number {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    const outer = this.#end;
    if (length > outer - this.#at) throw new ProtobufFault();
    this.#end = this.#at + length;
    return outer;
  }

  close(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Passes over exactly these bytes, if they come next. */
  take(expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    const { length } = expected;
    if (length > this.#end - at) return false;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[i]) return false;
    this.#at = at + length;
    return true;
  }

  /** Reads an embedded message with the given function, which sees its fields alone. */
  message(read: () => void): void {
    const outer = this.open();
    read();
    this.close(outer);
  }

  /** Goes over the fields of the message twice: what comes later on the wire may be needed first. */
  again(read: () => void): void {
    this.revisit(this.#at, read);
  }

  /** Where the next field begins. */
  get position(): number {
    return this.#at;
  }

  /** Goes over the message again from an earlier place, and comes back. */
  revisit(position: number, read: () => void): void {
    const back = this.#at;
    this.#at = position;
    read();
    this.#at = back;
  }

  string(): string {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    const start = this.#at;
    this.#advance(length);
    return this.#pool.get(this.#bytes, start, this.#at);
  }

  hex(): string {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    const start = this.#at;
    this.#advance(length);
    return this.#bytes.toString('hex', start, this.#at);
  }

  /** An unsigned number, an enum or a truth value; exact up to 2^53. */
  unsigned(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  /** An int64, the nearest double to it. */
  int64(): number {
    this.#expect(VARINT);
    const { low, high } = this.#varint64();
    return (high | 0) * TWO_32 + low;
  }

  /** A fixed64 as its two halves. */
  fixed64<T>(use: (low: number, high: number) => T): T {
    this.#expect(FIXED64);
    const start = this.#at;
    this.#advance(8);
    return use(this.#bytes.readUInt32LE(start), this.#bytes.readUInt32LE(start + 4));
  }

  double(): number {
    this.#expect(FIXED64);
    const start = this.#at;
    this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  #expect(wire: number): void {
    if (this.#wire !== wire) throw new ProtobufFault();
  }

  #advance(bytes: number): void {
    if (bytes > this.#end - this.#at) throw new ProtobufFault();
    this.#at += bytes;
  }

  /** Nearly all are tags and lengths of one byte or two; those cost no object. */
  #varint(): number {
    const at = this.#at;
    if (at < this.#end) {
      const first = this.#bytes[at] as number;
      if (first < 0x80) {
        this.#at = at + 1;
        return first;
      }
      if (at + 1 < this.#end) {
        const second = this.#bytes[at + 1] as number;
        if (second < 0x80) {
          this.#at = at + 2;
          return (second << 7) | (first & 0x7f);
        }
      }
    }
    const { low, high } = this.#varint64();
    return high * TWO_32 + low;
  }

  #varint64(): { low: number; high: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw new ProtobufFault();
      const byte = this.#bytes[this.#at++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return { low: low >>> 0, high: high >>> 0 };
    }
    throw new ProtobufFault();
  }
}
