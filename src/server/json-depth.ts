import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Refuses JSON that is nested too deeply, by counting brackets outside of texts. Whether it is JSON at all is for the
 * parser to say: a bracket too many makes it deeper here, never shallower.
 */
export function checkDepth(bytes: Buffer, depthMax: number = LIMITS.jsonDepthMax): void {
  let depth = 0;
  let inText = false;
  // Byte by byte: most texts are so short that a search of the engine's own costs more to call than it saves.
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inText = !inText;
    else if (inText) {
      if (byte === BACKSLASH) i++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > depthMax) {
        throw new RenownError('invalid_request', `The body is nested more than ${depthMax} levels deep.`);
      }
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
}
