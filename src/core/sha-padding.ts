/** How SHA-1 and SHA-256 fill up a message: a one bit, zeros, and the length in bits as 64 bits, to a multiple of 64 bytes. */
export function padMessage(message: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return view;
}

/** The words of a finished state, as bytes. */
export function toDigest(state: Uint32Array): Uint8Array {
  const digest = new Uint8Array(state.length * 4);
  const view = new DataView(digest.buffer);
  state.forEach((value, i) => {
    view.setUint32(i * 4, value);
  });
  return digest;
}
