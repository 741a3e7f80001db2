/**
 * The one table of what can be configured. It makes the options of `renown serve`, the names in the environment and in
 * renown.yaml, `--print-config`, and a test holds docs/reference/configuration.md against it.
 */
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';

interface Setting<T> {
  /** In renown.yaml; `RENOWN_PORT` and `--port` follow from it. */
  name: string;
  default: T;
  summary: string;
  /** Never printed. */
  secret?: true;
  parse(given: unknown, at: string): T;
}

const wholeNumber =
  ({ min, max }: { min: number; max: number }) =>
  (given: unknown, at: string): number => {
    const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
    const issues = new Issues();
    issues.whole(value, at, { min, max });
    issues.throwIfAny();
    return value as number;
  };

const text =
  (pattern: RegExp, what: string) =>
  (given: unknown, at: string): string => {
    if (typeof given === 'string' && pattern.test(given)) return given;
    throw new RenownError('invalid_request', `${at} must be ${what}.`);
  };

/** A list in YAML, or texts with commas between them. */
const list = (given: unknown, at: string): string[] => {
  const entries = typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : given;
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== 'string')) {
    throw new RenownError('invalid_request', `${at} must be a list of texts.`);
  }
  return entries.filter((entry) => entry !== '');
};

const DAYS = { min: 0, max: 36_500 };
const PORTS = { min: 0, max: 65_535 };

export const SETTINGS = {
  store: {
    name: 'store',
    default: '',
    summary:
      'The ledger: duckdb:path or clickhouse://user:password@host:port/database. When empty, the file that data names',
    parse: text(
      /^$|^(duckdb|memory|clickhouse|clickhouse\+https):/,
      'duckdb:path, clickhouse://… or memory:',
    ),
  },
  data: {
    name: 'data',
    default: 'renown.duckdb',
    summary: 'The file of the embedded ledger',
    parse: text(/^[^\0]+$/, 'a path'),
  },
  spool: {
    name: 'spool',
    default: 'renown-spool',
    summary: 'The folder in which facts wait while ClickHouse is away',
    parse: text(/^[^\0]+$/, 'a path'),
  },
  host: {
    name: 'host',
    default: '127.0.0.1',
    summary: 'The address to listen on; 0.0.0.0 for all of them',
    parse: text(/^\S+$/, 'an address or a name'),
  },
  port: {
    name: 'port',
    default: 4747,
    summary: 'The port to listen on; 0 for any that is free',
    parse: wholeNumber(PORTS),
  },
  basePath: {
    name: 'base_path',
    default: '',
    summary: 'What a proxy in front leaves at the beginning of paths, as /renown',
    parse: text(/^$|^(\/[\w.~-]+)+$/, 'empty, or a path as /renown'),
  },
  trustedProxies: {
    name: 'trusted_proxies',
    default: [] as string[],
    summary: 'Addresses and networks whose X-Forwarded-For is believed',
    parse: list,
  },
  corsOrigins: {
    name: 'cors_origins',
    default: [] as string[],
    summary: 'Origins whose pages may call the API; * for all',
    parse: list,
  },
  rateLimitPerS: {
    name: 'rate_limit_per_s',
    default: 1_000,
    summary: 'Requests a second that each key may make, on average',
    parse: wholeNumber({ min: 1, max: 1_000_000 }),
  },
  rateLimitBurst: {
    name: 'rate_limit_burst',
    default: 2_000,
    summary: 'Requests that each key may make at once',
    parse: wholeNumber({ min: 1, max: 1_000_000 }),
  },
  requestTimeoutS: {
    name: 'request_timeout_s',
    default: 30,
    summary: 'Seconds a client has to send a whole request',
    parse: wholeNumber({ min: 1, max: 3_600 }),
  },
  keepEvaluationsDays: {
    name: 'keep_evaluations_days',
    default: 0,
    summary: 'Days that evaluations are kept; 0 for ever. Windows always stay whole',
    parse: wholeNumber(DAYS),
  },
  keepReputationEventsDays: {
    name: 'keep_reputation_events_days',
    default: 1_095,
    summary: 'Days that reputation events are kept; 0 for ever',
    parse: wholeNumber(DAYS),
  },
  keepAuditDays: {
    name: 'keep_audit_days',
    default: 0,
    summary: 'Days that the audit log is kept; 0 for ever',
    parse: wholeNumber(DAYS),
  },
  keepSessionEventsDays: {
    name: 'keep_session_events_days',
    default: 90,
    summary: 'Days that telemetry of a session is kept after its last; 0 for ever. Verdicts on it stay',
    parse: wholeNumber(DAYS),
  },
  keepSignalsDays: {
    name: 'keep_signals_days',
    default: 0,
    summary: 'Days that signals of a session are kept after the last; 0 for ever. Scores of it stay',
    parse: wholeNumber(DAYS),
  },
  keepSessionScoresDays: {
    name: 'keep_session_scores_days',
    default: 0,
    summary: 'Days that scores of sessions are kept; 0 for ever',
    parse: wholeNumber(DAYS),
  },
  webhookNetworks: {
    name: 'webhook_networks',
    default: [] as string[],
    summary: 'Private addresses and networks that webhooks may go to, as 10.0.0.0/8; none unless named',
    parse: list,
  },
  otlpPort: {
    name: 'otlp_port',
    default: 4318 as number | 'off',
    summary: 'The port of the OTLP receiver; 0 for any that is free, off for none',
    parse: (given: unknown, at: string) => (given === 'off' ? 'off' : wholeNumber(PORTS)(given, at)),
  },
  otlpForwardUrl: {
    name: 'otlp_forward_url',
    default: '',
    summary:
      'An OTLP/HTTP endpoint that everything received is passed on to, payloads included. Off when empty',
    parse: text(/^$|^https?:\/\/\S+$/, 'empty, or an http or https URL'),
  },
  otlpExportUrl: {
    name: 'otlp_export_url',
    default: '',
    summary:
      'An OTLP/HTTP collector that verdicts and session scores are sent to, as gen_ai.evaluation.result; none if empty',
    parse: text(/^$|^https?:\/\/\S+$/, 'empty, or an http or https URL'),
  },
  logLevel: {
    name: 'log_level',
    default: 'info',
    summary: 'debug, info, warn, error or silent',
    parse: text(/^(debug|info|warn|error|silent)$/, 'debug, info, warn, error or silent'),
  },
  judgeUrl: {
    name: 'judge_url',
    default: '',
    summary: 'A model that judges signals: what agents read and wrote is sent there. Off when empty',
    parse: text(/^$|^https?:\/\/\S+$/, 'empty, or an address as https://api.example.com/v1'),
  },
  judgeModel: {
    name: 'judge_model',
    default: '',
    summary: 'The name of that model at its endpoint',
    parse: text(/^\S*$/, 'a name without spaces'),
  },
  judgeKey: {
    name: 'judge_key',
    default: '',
    summary: 'The key for that endpoint',
    secret: true,
    parse: text(/^\S*$/, 'a key without spaces'),
  },
  masterKey: {
    name: 'master_key',
    default: '',
    summary: 'Encrypts signing secrets at rest. When empty, a file beside the store holds one',
    secret: true,
    parse: text(/^$|^.{16,}$/, 'at least 16 characters long'),
  },
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
export type Configuration = { -readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> };

export interface ConfigurationSources {
  /** Options of the command line, by their names there. */
  flags: Record<string, unknown>;
  env: Record<string, string | undefined>;
  /** What renown.yaml holds. */
  file: Record<string, unknown>;
}

export function flagOf({ name }: { name: string }): string {
  return name.replaceAll('_', '-');
}

export function variableOf({ name }: { name: string }): string {
  return `RENOWN_${name.toUpperCase()}`;
}

/** The command line counts before the environment, and that before the file. */
export function readConfiguration({ flags, env, file }: ConfigurationSources): Configuration {
  refuseUnknown(file);
  const entries = Object.entries(SETTINGS).map(([key, setting]) => {
    const [flag, variable] = [flagOf(setting), variableOf(setting)];
    if (flags[flag] !== undefined) return [key, setting.parse(flags[flag], `--${flag}`)];
    if (env[variable] !== undefined) return [key, setting.parse(env[variable], variable)];
    const inFile = file[setting.name];
    if (inFile !== undefined)
      return [key, setting.parse(inFile, `${setting.name} in the configuration file`)];
    return [key, setting.default];
  });
  return Object.fromEntries(entries) as Configuration;
}

const MASK = '********';

/** By the names of the file, with secrets masked. */
export function printable(configuration: Configuration): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<Setting<unknown>>(SETTINGS).map(([key, { name, secret }]) => {
      const value = configuration[key as keyof Configuration];
      return [name, secret && value !== '' ? MASK : withoutPassword(value)];
    }),
  );
}

/** The URL of the store that a configuration means. */
export function storeUrl({ store, data }: Pick<Configuration, 'store' | 'data'>): string {
  return store === '' ? `duckdb:${data}` : store;
}

function refuseUnknown(file: Record<string, unknown>): void {
  const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  const issues = new Issues();
  for (const name of Object.keys(file)) {
    if (!known.has(name)) issues.add(name, 'is no setting of the configuration file');
  }
  issues.throwIfAny();
}

/** A URL may have one before its host. */
function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(:\/\/[^:@/]*):[^@/]*@/, `$1:${MASK}@`) : value;
}
