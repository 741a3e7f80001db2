/** What happened in one session, or in the part of it that lies in a window: the counters of a verdict and the signs beside them. */
import { type FailureSigns, followFailures } from './failure-signs.ts';
import { costOf, findPrice, type Price } from './prices.ts';
import { EVENT_KINDS, type EventKind, type Tokens } from './session-event.ts';
import type { SessionEntry, SessionTable } from './session-table.ts';

/** Both inclusive; infinite where the session is not cut. */
export interface Window {
  from: number;
  to: number;
}

export const WHOLE: Window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** What one model was used for, and what it cost as far as that is known. */
interface ModelUse extends Tokens {
  model: string;
  cacheRead: number;
  cacheWrite: number;
  calls: number;
  /** What the telemetry itself says. */
  reportedUsd: number;
  /** What the price table says of the calls that the telemetry is silent about. */
  pricedUsd: number;
  pricedCalls: number;
  /** Calls that neither knows a price of. */
  unpricedCalls: number;
  price: Price | undefined;
}

export interface SessionSummary extends FailureSigns {
  entry: SessionEntry;
  startedAt: number;
  endedAt: number;
  tools: number;
  toolsOk: number;
  prompts: number;
  models: ModelUse[];
  /** Whether any call told of tokens, and of tokens read from a cache. */
  hasTokens: boolean;
  hasCacheTokens: boolean;
  errors: number;
  retries: number;
  rejectedTools: number;
  compactions: number;
  loops: number;
  toolMix: Map<string, { calls: number; ok: number }>;
  metrics: Map<string, number>;
}

/** The rows of each session, in no order. */
export function rowsBySession(table: SessionTable): Int32Array[] {
  const { events, sessions } = table;
  const counts = new Int32Array(sessions.length);
  const { count, columns } = events;
  const { session } = columns;
  for (let row = 0; row < count; row++) (counts[session[row] as number] as number)++;
  const rows = sessions.map((_, i) => new Int32Array(counts[i] as number));
  counts.fill(0);
  for (let row = 0; row < count; row++) {
    const index = session[row] as number;
    (rows[index] as Int32Array)[(counts[index] as number)++] = row;
  }
  return rows;
}

/** Sorts rows by their time, where they are. Fingerprints settle what times do not, whatever the order of arrival. */
function inOrder({ events }: SessionTable, rows: Int32Array): Int32Array {
  const { at, fingerprint } = events.columns;
  const earlier = (a: number, b: number) =>
    (at[a] as number) - (at[b] as number) || (fingerprint[a] as number) - (fingerprint[b] as number);
  return isSorted(rows, earlier) ? rows : rows.sort(earlier);
}

/** Most files are in order, and looking is much cheaper than sorting. */
function isSorted(list: Int32Array, compare: (a: number, b: number) => number): boolean {
  for (let i = 1; i < list.length; i++) {
    if (compare(list[i - 1] as number, list[i] as number) > 0) return false;
  }
  return true;
}

export function summarise(
  table: SessionTable,
  entry: SessionEntry,
  rows: Int32Array,
  window = WHOLE,
): SessionSummary {
  const { columns } = table.events;
  const byKind = EVENT_KINDS.map((): number[] => []);
  for (const row of inOrder(table, rows)) {
    const at = columns.at[row] as number;
    if (at >= window.from && at <= window.to) byKind[columns.kind[row] as number]?.push(row);
  }
  const of = (kind: EventKind) => byKind[EVENT_KINDS.indexOf(kind)] as number[];
  const tools = firstSource(
    table,
    of('tool').filter((row) => columns.outcome[row] !== 0),
  );
  const models = firstSource(table, of('model'));
  const errors = firstSource(table, of('error'));
  const attempts = firstSource(table, of('attempt'));
  const retried = sum(table, attempts, 0) + sum(table, firstSource(table, of('retry')), 1);
  return {
    entry,
    startedAt: Math.max(entry.firstAt, window.from),
    endedAt: Math.min(entry.lastAt, window.to),
    tools: tools.length,
    toolsOk: tools.filter((row) => columns.outcome[row] === 1).length,
    prompts: firstSource(table, of('prompt')).length,
    models: useOfModels(table, models),
    hasTokens: models.some((row) => columns.tokensAt[row] !== -1),
    hasCacheTokens: models.some((row) => !Number.isNaN(table.events.token(row, 2))),
    // Every further try stands for one before it that failed, and not for good.
    errors: errors.length + Math.max(0, attempts.length - retried),
    retries: sum(table, errors, 0) + retried,
    rejectedTools: firstSource(table, of('rejection')).length,
    compactions: firstSource(table, of('compaction')).length,
    loops: of('loop').length,
    ...followFailures(tools, columns),
    toolMix: mixOf(table, tools),
    metrics: sumsByName(table, of('metric')),
  };
}

export interface ToolResult {
  at: number;
  tool: string;
  ok: boolean;
  /** NaN where not told. */
  durationMs: number;
}

/** Each tool call of a session that has come to an end, in order. */
export function toolResults(table: SessionTable, rows: Int32Array): ToolResult[] {
  const { columns } = table.events;
  const tool = EVENT_KINDS.indexOf('tool');
  const results = [...inOrder(table, rows)].filter(
    (row) => columns.kind[row] === tool && columns.outcome[row] !== 0,
  );
  return firstSource(table, results).map((row) => ({
    at: columns.at[row] as number,
    tool: table.names[columns.name[row] as number] as string,
    ok: columns.outcome[row] === 1,
    durationMs: columns.amount[row] as number,
  }));
}

/** The agent's own word where there is one, else that of a second source: the two tell of the same. */
function firstSource({ events }: SessionTable, rows: readonly number[]): readonly number[] {
  const own = rows.filter((row) => events.columns.source[row] === 0);
  return own.length > 0 ? own : rows;
}

function useOfModels(table: SessionTable, rows: readonly number[]): ModelUse[] {
  const uses = new Map<string, ModelUse>();
  for (const row of rows) {
    const model = table.names[table.events.columns.name[row] as number] as string;
    let use = uses.get(model);
    if (!use) {
      use = { model, ...NO_USE, price: findPrice(model) };
      uses.set(model, use);
    }
    addCall(use, tokensOf(table, row), table.events.columns.cost[row] as number);
  }
  return [...uses.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

const NO_USE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  calls: 0,
  reportedUsd: 0,
  pricedUsd: 0,
  pricedCalls: 0,
  unpricedCalls: 0,
};

function addCall(use: ModelUse, tokens: Tokens | null, cost: number): void {
  use.calls++;
  use.input += tokens?.input ?? 0;
  use.output += tokens?.output ?? 0;
  use.cacheRead += tokens?.cacheRead ?? 0;
  use.cacheWrite += tokens?.cacheWrite ?? 0;
  if (!Number.isNaN(cost)) use.reportedUsd += cost;
  else if (use.price && tokens) {
    use.pricedUsd += costOf(use.price, tokens);
    use.pricedCalls++;
  } else use.unpricedCalls++;
}

function tokensOf({ events }: SessionTable, row: number): Tokens | null {
  if (events.columns.tokensAt[row] === -1) return null;
  return {
    input: events.token(row, 0),
    output: events.token(row, 1),
    cacheRead: events.token(row, 2) || 0,
    cacheWrite: events.token(row, 3) || 0,
  };
}

function sum({ events }: SessionTable, rows: readonly number[], whenAbsent: number): number {
  return rows.reduce((total, row) => {
    const amount = events.columns.amount[row] as number;
    return total + (Number.isNaN(amount) ? whenAbsent : amount);
  }, 0);
}

function mixOf({ events, names }: SessionTable, tools: readonly number[]): SessionSummary['toolMix'] {
  const mix: SessionSummary['toolMix'] = new Map();
  for (const row of tools) {
    const name = names[events.columns.name[row] as number] as string;
    const known = mix.get(name) ?? { calls: 0, ok: 0 };
    known.calls++;
    if (events.columns.outcome[row] === 1) known.ok++;
    mix.set(name, known);
  }
  return new Map([...mix].sort(([a, x], [b, y]) => y.calls - x.calls || (a < b ? -1 : 1)));
}

function sumsByName({ events, names }: SessionTable, rows: readonly number[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = names[events.columns.name[row] as number] as string;
    sums.set(name, (sums.get(name) ?? 0) + (events.columns.amount[row] || 0));
  }
  return sums;
}
