import { RenownError } from '../../core/errors.ts';

/** What DuckDB says, as one of our errors; what it does not expect to say is a fault of ours and passes unchanged. */
export function toStoreError(thrown: unknown): unknown {
  if (thrown instanceof RenownError || !(thrown instanceof Error)) return thrown;
  if (/No space left on device|disk is full|could not write|failed to write|ENOSPC/i.test(thrown.message)) {
    return new RenownError(
      'store_unavailable',
      'The disk has no room for the ledger. Nothing of this write was stored; free some space and send it again.',
      { cause: thrown },
    );
  }
  return thrown;
}

/** What DuckDB says when it cannot open the file. */
export function toOpenError(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  if (/Conflicting lock|Could not set lock/i.test(thrown.message)) {
    const holder = /PID (\d+)/.exec(thrown.message)?.[1];
    return new RenownError(
      'store_locked',
      `${path} is in use by another process${holder ? ` (PID ${holder})` : ''}. Stop it, or talk to it over HTTP.`,
      { cause: thrown },
    );
  }
  if (/newer version|version number|not a valid DuckDB database/i.test(thrown.message)) {
    return new RenownError('store_too_new', `${path} is not a ledger that this version can open.`, {
      cause: thrown,
    });
  }
  return new RenownError('store_unavailable', whyNotOpened(thrown.message, path), { cause: thrown });
}

/** What it was, and what to do. DuckDB names the kind of error and the path; both are said already. */
function whyNotOpened(message: string, path: string): string {
  if (/Permission denied|Read-only file system/i.test(message))
    return `${path} may not be read and written by this user. Give it the rights to the file and its folder (\`ls -l ${path}\` shows them), or name another ledger with --store or RENOWN_DATA.`;
  if (/No such file or directory|Not a directory/i.test(message))
    return `The folder of ${path} does not exist. Make it, or name another ledger with --store or RENOWN_DATA.`;
  if (/Is a directory/i.test(message))
    return `${path} is a folder, and a ledger is a file. Name one within it with --store or RENOWN_DATA.`;
  const [reason = ''] = message.replace(/^IO Error: /, '').split('\n');
  return `${path} could not be opened: ${reason}`;
}
