import { ClickHouseError } from '@clickhouse/client';
import { RenownError } from '../../core/errors.ts';

/**
 * What ClickHouse says when it is there and cannot serve for now: too many queries or parts, no memory, no disk, a timeout,
 * a read-only replica, a lost Keeper.
 */
const BUSY = new Set(['159', '202', '209', '210', '241', '242', '243', '252', '319', '999']);

/** Whether a failure says that the server is away, so that what was to be written must wait. */
export function isAway(thrown: unknown): boolean {
  if (thrown instanceof RenownError) return thrown.code === 'store_unavailable';
  if (thrown instanceof ClickHouseError) return BUSY.has(thrown.code);
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return /^E[A-Z]+$/.test(code) || /timeout|socket hang up|aborted|closed/i.test(thrown.message);
}

/** What the client or the server says, as one of our errors; what neither expects to say passes unchanged. */
export function toStoreError(thrown: unknown): unknown {
  if (thrown instanceof RenownError || !isAway(thrown)) return thrown;
  return new RenownError(
    'store_unavailable',
    `ClickHouse does not answer: ${describe(thrown)}. Try again when it is back.`,
    { cause: thrown },
  );
}

/** What the client says when a store cannot be opened. */
export function toOpenError(thrown: unknown, url: string): unknown {
  if (thrown instanceof RenownError) return thrown;
  return new RenownError(
    'store_unavailable',
    `No ClickHouse could be opened at ${url}: ${describe(thrown)}. See that it runs, and that user and password are right.`,
    { cause: thrown },
  );
}

/** Node says nothing in the message of a connection that was refused at every address, only in its code. */
function describe(thrown: unknown): string {
  const { message = '', code = '' } = thrown as { message?: string; code?: string };
  return (message.split('\n')[0] || code || 'no reason was given').replace(/\.$/, '');
}
