/**
 * The closed table of what can go wrong for a caller. Every surface takes its HTTP status and exit code from
 * here, and docs/reference/errors.md has a heading for each code (a test compares them), so they cannot disagree.
 * Exit codes 10 and above are left to verdicts, which are answers and not errors.
 */
export const ERRORS = {
  usage: { status: 400, exit: 2, title: 'The command line was not understood.' },
  invalid_request: { status: 400, exit: 3, title: 'A value is missing, of the wrong type or out of range.' },
  invalid_json: { status: 400, exit: 3, title: 'The input is not JSON.' },
  unauthorized: { status: 401, exit: 9, title: 'A key is missing, unknown or revoked.' },
  forbidden: { status: 403, exit: 9, title: 'This key may not do that.' },
  invalid_signature: { status: 401, exit: 9, title: 'A signature is missing, wrong or too old.' },
  signature_replayed: { status: 409, exit: 7, title: 'A signed request came a second time.' },
  not_found: { status: 404, exit: 3, title: 'There is no such thing.' },
  method_not_allowed: { status: 405, exit: 3, title: 'The path exists and not with this method.' },
  unsupported_media_type: { status: 415, exit: 3, title: 'The body is of a type that is not read here.' },
  request_timeout: { status: 408, exit: 8, title: 'The request did not arrive in time.' },
  headers_too_large: { status: 431, exit: 4, title: 'The headers are larger than the limit.' },
  rate_limited: { status: 429, exit: 8, title: 'Too many requests.' },
  payload_too_large: { status: 413, exit: 4, title: 'The input is larger than the limit.' },
  unreadable_input: { status: 400, exit: 5, title: 'A file could not be read.' },
  unwritable_output: { status: 500, exit: 5, title: 'A file could not be written.' },
  conflict: { status: 409, exit: 7, title: 'Something of that name exists already.' },
  server_unavailable: { status: 503, exit: 8, title: 'The server is stopping, or does not answer.' },
  store_locked: { status: 503, exit: 8, title: 'Another process holds the store.' },
  store_unavailable: { status: 503, exit: 8, title: 'The store cannot be reached, or has no room.' },
  store_too_new: { status: 500, exit: 6, title: 'The store was written by a newer version.' },
  corrupt_data: { status: 500, exit: 6, title: 'Stored data is damaged or of another version.' },
  internal: { status: 500, exit: 1, title: 'A fault of Renown itself.' },
} as const satisfies Record<string, { status: number; exit: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One refused field: where it is in the request, and what it should have been. */
export interface Issue {
  /** As JavaScript would reach it: `traces[3].signals.confidence`; empty for the request itself. */
  path: string;
  message: string;
}

/** What every surface answers when it refuses. */
export interface ErrorBody {
  error: string;
  code: ErrorCode;
  status: number;
  details?: readonly Issue[];
  request_id: string;
}

/** The one error class: a code of the table, a message that says what happened to what, and what to do. */
export class RenownError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly Issue[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: readonly Issue[]; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'RenownError';
    this.code = code;
    this.details = options.details;
  }
}

/**
 * Anything thrown, as one of ours. What is not ours is our fault: it becomes `internal`, and its own message
 * stays in `cause` for the log, because it may quote what a caller sent.
 */
export function toRenownError(thrown: unknown): RenownError {
  if (thrown instanceof RenownError) return thrown;
  return new RenownError('internal', 'Renown failed on its own account; this is a bug worth reporting.', {
    cause: thrown,
  });
}

export function toErrorBody(error: RenownError, requestId: string): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    status: ERRORS[error.code].status,
    ...(error.details && { details: error.details }),
    request_id: requestId,
  };
}

/** Whether somebody else came first. */
export function isConflict(error: unknown): boolean {
  return error instanceof RenownError && error.code === 'conflict';
}
