/**
 * A suite is a choice of gates as data: what a gate file says, what the server keeps for an org, what the SDK takes as an
 * object. It is checked here, once for all of them, and has a content hash, so that scores under different suites can be
 * told apart.
 */

import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { sha1 } from '../core/sha1.ts';
import { canonical } from './canonical.ts';
import { type ContentOptions, content } from './content.ts';
import { createEngine, type Engine } from './engine.ts';
import { fieldPath } from './field-path.ts';
import { filesystem } from './filesystem.ts';
import type { Gate } from './gate.ts';
import { injection } from './injection.ts';
import { latency } from './latency.ts';
import { type PatternOptions, pattern } from './pattern.ts';
import { type PiiOptions, pii } from './pii.ts';
import { schema } from './schema.ts';
import { secrets } from './secrets.ts';

/** One gate of a suite: its name, or its name with options. */
export type SuiteEntry = string | Readonly<Record<string, unknown>>;

export interface Suite {
  timeout_ms?: number;
  fail_fast?: boolean;
  gates: readonly SuiteEntry[];
}

/** What the server and the proxy judge by unless told otherwise, and `renown gate` too. */
export const DEFAULT_SUITE: Suite = { gates: ['filesystem', 'pii', 'secrets', 'content', 'injection'] };

type Fields = Record<string, unknown>;
type OptionType = 'boolean' | 'number' | 'texts' | 'text' | 'target' | 'schema';

interface Kind {
  options: Record<string, OptionType>;
  required?: readonly string[];
  make(options: Fields): Gate | Promise<Gate>;
}

/** Every gate that a suite can name, the options it takes in the spelling of the wire, and how it is made. */
const KINDS: Record<string, Kind> = {
  filesystem: { options: {}, make: () => filesystem() },
  pii: {
    options: {
      email: 'boolean',
      phone: 'boolean',
      ssn: 'boolean',
      card: 'boolean',
      iban: 'boolean',
      allow: 'texts',
    },
    make: (options) => pii(options as PiiOptions),
  },
  secrets: { options: {}, make: () => secrets() },
  content: {
    options: { refusals: 'boolean', disclaimers: 'boolean' },
    make: (options) => content(options as ContentOptions),
  },
  injection: { options: {}, make: () => injection() },
  latency: {
    options: { max_ms: 'number' },
    required: ['max_ms'],
    make: ({ max_ms }) => latency({ maxMs: max_ms as number }),
  },
  pattern: {
    options: { deny: 'texts', allow: 'texts', name: 'text' },
    make: (options) => pattern(options as PatternOptions),
  },
  schema: {
    options: { schema: 'schema', target: 'target', name: 'text' },
    required: ['schema'],
    make: ({ schema: expected, target, name }) =>
      schema(expected as Fields, {
        ...(target !== undefined && { target: target as 'output' | 'input' }),
        ...(name !== undefined && { name: name as string }),
      }),
  },
};

/** An engine that runs the suite; its hash goes with every result. Refuses a suite with the paths of what is wrong. */
export async function openSuite(
  suite: Suite,
  /** What holds for each gate of a suite that does not say its own. */
  { timeoutMs }: { timeoutMs?: number } = {},
): Promise<Engine> {
  const gates = await makeGates(suite);
  return createEngine({
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...engineOptionsOf(suite),
    gates,
    suiteHash: hashSuite(suite),
  });
}

/** The gates of a suite without an engine, for whoever runs only some of them. */
export async function makeGates(suite: Suite): Promise<Gate[]> {
  const gates: Gate[] = [];
  for (const { kind, options, path } of checkSuite(suite)) {
    try {
      gates.push(await (KINDS[kind] as Kind).make(options));
    } catch (error) {
      throw at(path, error);
    }
  }
  return gates;
}

export function engineOptionsOf({ timeout_ms, fail_fast }: Suite): {
  timeoutMs?: number;
  failFast?: boolean;
} {
  return {
    ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
    ...(fail_fast !== undefined && { failFast: fail_fast }),
  };
}

/** The same for the same gates, options and order, however the suite was written. */
export function hashSuite(suite: Suite): string {
  const { timeout_ms = 50, fail_fast = true } = suite;
  const gates = checkSuite(suite).map(({ kind, options }) => [kind, options]);
  const bytes = sha1(new TextEncoder().encode(canonical({ timeout_ms, fail_fast, gates })));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface CheckedEntry {
  kind: string;
  options: Fields;
  path: string;
}

/** The entries of a suite in one form, or an `invalid_request` that names everything that is wrong with it. */
function checkSuite(suite: unknown): CheckedEntry[] {
  const issues = new Issues();
  const entries: CheckedEntry[] = [];
  if (!isFields(suite)) issues.add('', 'must be an object with a list of gates');
  else {
    for (const key of Object.keys(suite)) {
      if (!['gates', 'timeout_ms', 'fail_fast'].includes(key))
        issues.add(fieldPath('', key), 'is no field of a suite');
    }
    if (suite.timeout_ms !== undefined)
      issues.number(suite.timeout_ms, 'timeout_ms', { min: 0, max: CLIENT_LIMITS.gateTimeoutMsMax });
    if (suite.fail_fast !== undefined && typeof suite.fail_fast !== 'boolean')
      issues.add('fail_fast', 'must be true or false');
    if (
      !Array.isArray(suite.gates) ||
      suite.gates.length === 0 ||
      suite.gates.length > CLIENT_LIMITS.gatesMax
    )
      issues.add('gates', `must be a list of 1 to ${CLIENT_LIMITS.gatesMax} gates`);
    else for (const [i, entry] of suite.gates.entries()) checkEntry(entry, `gates[${i}]`, entries, issues);
  }
  issues.throwIfAny();
  return entries;
}

function checkEntry(entry: unknown, path: string, entries: CheckedEntry[], issues: Issues): void {
  const [kind, given, surplus] =
    typeof entry === 'string' ? [entry, {}] : isFields(entry) ? onlyField(entry) : [];
  if (kind === undefined || surplus) {
    issues.add(path, 'must be the name of a gate, or one name with its options');
    return;
  }
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!known) {
    issues.add(path, `must be one of ${Object.keys(KINDS).join(', ')}`);
    return;
  }
  const place = typeof entry === 'string' ? path : `${path}.${kind}`;
  const options = given ?? {};
  if (!isFields(options)) {
    issues.add(place, 'must be an object of options');
    return;
  }
  checkOptions(options, known, place, issues);
  const name = options.name ?? kind;
  // Whoever reads a verdict goes by the name: what `injection` finds in an answer, say, is not the agent's fault.
  if (name !== kind && Object.hasOwn(KINDS, String(name)))
    issues.add(`${place}.name`, 'must not be the name of another built-in gate');
  if (entries.some((earlier) => (earlier.options.name ?? earlier.kind) === name))
    issues.add(place, 'must have a name of its own: an earlier gate has the same');
  entries.push({ kind, options, path: place });
}

function onlyField(entry: Fields): [string | undefined, unknown, boolean] {
  const keys = Object.keys(entry);
  return [keys[0], entry[keys[0] ?? ''], keys.length !== 1];
}

function checkOptions(
  options: Fields,
  { options: known, required = [] }: Kind,
  path: string,
  issues: Issues,
): void {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!type) issues.add(fieldPath(path, name), 'is no option of this gate');
    else if (!OPTION_TYPES[type].holds(value)) issues.add(`${path}.${name}`, OPTION_TYPES[type].message);
  }
  for (const name of required) if (options[name] === undefined) issues.add(`${path}.${name}`, 'is missing');
}

const OPTION_TYPES: Record<OptionType, { holds(value: unknown): boolean; message: string }> = {
  boolean: { holds: (value) => typeof value === 'boolean', message: 'must be true or false' },
  number: { holds: (value) => Number.isFinite(value), message: 'must be a number' },
  text: { holds: isName, message: `must be a text of 1 to ${CLIENT_LIMITS.nameLengthMax} characters` },
  texts: {
    holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== ''),
    message: 'must be a list of texts',
  },
  target: { holds: (value) => value === 'output' || value === 'input', message: 'must be output or input' },
  schema: {
    holds: (value) => isFields(value) || typeof value === 'boolean',
    message: 'must be a JSON Schema',
  },
};

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= CLIENT_LIMITS.nameLengthMax;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a gate refused when it was made, with its place in the suite before the paths. */
function at(path: string, error: unknown): unknown {
  if (!(error instanceof RenownError) || !error.details) return error;
  const details = error.details.map((issue) => ({ ...issue, path: `${path}.${toWire(issue.path)}` }));
  const [first] = details;
  return new RenownError(error.code, `${first?.path} ${first?.message}.`, { details, cause: error });
}

/** The one option whose spelling differs between the two languages. */
function toWire(path: string): string {
  return path === 'maxMs' ? 'max_ms' : path;
}
