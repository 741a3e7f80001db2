import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';

/** Where a ledger on ClickHouse is, as its URL says. */
export interface Location {
  /** Of the server, for the client; without credentials. */
  url: string;
  username: string;
  password: string;
  database: string;
  /** Null for a single server. */
  cluster: string | null;
  /** How long a statement may take before the server counts as away. */
  timeoutMs: number;
}

const USAGE =
  'Use clickhouse://user:password@host:port/database, with ?secure=1 for TLS, ?cluster=name and ?timeout_ms=60000.';

/** Reads `clickhouse://` and `clickhouse+https://`. The port is that of ClickHouse's HTTP interface: 8123, with TLS 8443. */
export function parseLocation(text: string): Location {
  if (!URL.canParse(text)) throw refused('it is no URL');
  const url = new URL(text);
  const { cluster = null, secure = '0', timeout_ms, ...others } = Object.fromEntries(url.searchParams);
  const timeoutMs = Number(timeout_ms ?? LIMITS.clickhouseTimeoutMs);
  if (!Number.isInteger(timeoutMs) || timeoutMs <= 0) throw refused('its timeout_ms is no whole number');
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw refused(`it has an option "${unknown}" that there is not`);
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default';
  // Both are written into statements that create things, where no parameter can stand.
  for (const name of [database, cluster ?? 'none']) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) throw refused(`"${name}" is no plain name`);
  }
  const tls = url.protocol === 'clickhouse+https:' || secure === '1';
  return {
    url: `${tls ? 'https' : 'http'}://${url.hostname || 'localhost'}:${url.port || (tls ? 8443 : 8123)}`,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database,
    cluster,
    timeoutMs,
  };
}

/** The URL itself may hold a password, so it is not quoted. */
function refused(why: string): RenownError {
  return new RenownError('invalid_request', `The URL of the ClickHouse store was refused: ${why}. ${USAGE}`);
}
