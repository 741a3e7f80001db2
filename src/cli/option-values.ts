/** What options say, as values; an option that was not given stays absent. */
import { usageError } from './command.ts';

type Given = string | boolean | undefined;

export function toNumber(value: Given, name: string, commandName: string): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) throw usageError(`--${name} must be a number`, commandName);
  return number;
}

/** Epoch milliseconds. A date has to begin with its year: what else Date.parse reads, it guesses. */
export function toTime(value: Given, name: string, commandName: string): number | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  const at = /^\d+$/.test(text) ? Number(text) : /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isFinite(at))
    throw usageError(`--${name} must be a time, as 2026-11-15T08:30:00Z`, commandName);
  return at;
}
