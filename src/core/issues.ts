import { CLIENT_LIMITS } from './client-limits.ts';
import { type Issue, RenownError } from './errors.ts';

/** The numbers a field may hold, both ends included. */
export interface Range {
  min: number;
  max: number;
}

/** False for NaN, the infinities and whatever is no number. */
export function isWithin(value: unknown, { min, max }: Range): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/**
 * Collects what is wrong with one part of a request, so that a caller learns of more than one fault at a time. Nothing
 * is allocated while all is well, and the list is bounded however many fields are bad. Messages never quote a refused
 * text; a path may hold a name the caller made up, and is bounded.
 */
export class Issues {
  readonly #listed: Issue[] = [];
  #count = 0;

  add(path: string, message: string): void {
    this.#count++;
    if (this.#listed.length < CLIENT_LIMITS.issuesListedMax)
      this.#listed.push({ path: shorten(path), message });
  }

  /** Refuses anything but a number within the range. */
  number(value: unknown, path: string, range: Range): void {
    if (!isWithin(value, range)) this.add(path, `must be ${describeRange(range)}, not ${describe(value)}`);
  }

  /** Refuses anything but a whole number within the range. */
  whole(value: unknown, path: string, range: Range): void {
    if (!isWithin(value, range) || !Number.isInteger(value)) {
      this.add(path, `must be a whole number, ${describeRange(range)}, not ${describe(value)}`);
    }
  }

  /** Throws one `invalid_request` that names every listed field, if there is any. */
  throwIfAny(): void {
    const first = this.#listed[0];
    if (!first) return;
    const more = this.#count > 1 ? ` (and ${this.#count - 1} more)` : '';
    throw new RenownError('invalid_request', `${first.path || 'The input'} ${first.message}${more}.`, {
      details: this.#listed,
    });
  }
}

function shorten(path: string): string {
  return path.length <= CLIENT_LIMITS.issuePathLengthMax
    ? path
    : `${path.slice(0, CLIENT_LIMITS.issuePathLengthMax)}…`;
}

function describeRange({ min, max }: Range): string {
  if (max === Number.MAX_VALUE) return `a number of at least ${min}`;
  return `a number from ${min} to ${max}`;
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
