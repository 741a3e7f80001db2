import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';

const NEWLINE = 10;

/** The lines of a stream as they came, their ends included; the last one may lack its end. */
export async function* lines(
  stream: AsyncIterable<Uint8Array>,
  { from: speaker }: { from: 'client' | 'server' },
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end + 1);
      yield pieces.length === 0 ? piece : join([...pieces, piece], length + piece.length);
      pieces = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LIMITS.proxyMessageBytesMax)
      throw new RenownError(
        'payload_too_large',
        `A message of the ${speaker} is larger than ${LIMITS.proxyMessageBytesMax} bytes.`,
      );
  }
  if (length > 0) yield join(pieces, length);
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
