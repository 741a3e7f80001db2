import type { RenownError } from '../core/errors.ts';

/**
 * What the log says of a failure. Our own messages hold no payload and are quoted; the message of anything else might, so
 * that only its kind and the places it went through are kept.
 */
export function describeFailure(error: RenownError): { error: string; cause?: string; frames?: string[] } {
  const { cause } = error;
  if (!(cause instanceof Error)) return { error: error.message };
  const { code } = cause as NodeJS.ErrnoException;
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.message,
    cause: code === undefined ? cause.name : `${cause.name} ${code}`,
    frames: frames.slice(0, 8).map((line) => line.trim()),
  };
}
