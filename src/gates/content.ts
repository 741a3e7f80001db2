import { type Gate, type GateFinding, PASSED } from './gate.ts';

/** Fails on output that says nothing: null, blank text, an empty list or object. `0` and `false` say something. */
export function content(): Gate {
  return {
    name: 'content',
    run: ({ output }) => (isEmpty(output) ? EMPTY : PASSED),
  };
}

const EMPTY: GateFinding = { passed: false, reason: 'The output is empty.' };

function isEmpty(output: unknown): boolean {
  try {
    return saysNothing(output);
  } catch {
    // A proxy that throws when it is looked at is strange, and not empty.
    return false;
  }
}

function saysNothing(output: unknown): boolean {
  if (output === null || output === undefined) return true;
  if (typeof output === 'string') return !/\S/.test(output);
  if (Array.isArray(output)) return output.length === 0;
  if (output instanceof Map || output instanceof Set) return output.size === 0;
  if (typeof output !== 'object') return false;
  const plain = Object.getPrototypeOf(output) === Object.prototype || Object.getPrototypeOf(output) === null;
  return plain && Object.keys(output).length === 0;
}
