const NANOS_PER_US = 1_000;
const NANOS_PER_S = 1_000_000_000;

/**
 * Nanoseconds since 1970, as text or as a number, in milliseconds; 0 for what is no time. The nearest double to the whole
 * number of nanoseconds is taken first, as reading a fixed64 does, so that both encodings of a record give the same time.
 */
export function parseTime(nanos: unknown): number {
  return typeof nanos === 'number' || typeof nanos === 'string' ? fromNanos(Number(nanos)) : 0;
}

/** The same from the two halves of a fixed64. */
export function fromFixed64(low: number, high: number): number {
  return fromNanos(high * 4_294_967_296 + low);
}

function fromNanos(nanos: number): number {
  // Seconds and the rest apart: the quotient of the large number would lose the last digits of a millisecond. A double has
  // room for steps of 256 nanoseconds, so whole microseconds are all that can be told, and a whole millisecond stays one.
  const seconds = Math.floor(nanos / NANOS_PER_S);
  const at = seconds * 1_000 + Math.round((nanos - seconds * NANOS_PER_S) / NANOS_PER_US) / 1_000;
  return at > 0 && Number.isFinite(at) ? at : 0;
}
