/**
 * A verdict on a session as it is printed and served: YAML and JSON have the same fields in the same order. What the
 * performance formula needs comes first, in the order in which it has always been printed; our additions come after.
 */
import { roundHalfUp } from '../round-half-up.ts';

/** The parts of a verdict that the wire shows; the service's own type has more. */
interface VerdictLike {
  masque: string;
  kind: string;
  donnedAt: string | null;
  doffedAt: string | null;
  counters: { readonly [counter: string]: number | null | undefined };
  performance: {
    dimensions: Readonly<Record<string, number>>;
    composite: number;
    recommendation: string;
    missingInputs: readonly string[];
    affectedDimensions: readonly string[];
  };
  summary: {
    entry: {
      sessionId: string;
      agent: string;
      entrypoint: string;
      dialects: readonly string[];
      ended: boolean;
    };
    errors: number;
    retries: number;
    rejectedTools: number;
    compactions: number;
    loops: number;
    longestFailureRun: number;
    recovery: { times: number; medianCalls: number; medianSeconds: number } | null;
    unrecovered: boolean;
    toolMix: ReadonlyMap<string, { calls: number; ok: number }>;
    metrics: ReadonlyMap<string, number>;
  };
  cost: {
    reportedUsd: number;
    pricedUsd: number;
    unpricedCalls: number;
    prices: readonly { model: string; date: string; source: string }[];
  };
  baseline:
    | { sessions: number; missing: string }
    | { sessions: number; median: number; difference: number; low: number; high: number };
}

export function toVerdictWire(verdict: VerdictLike) {
  const { performance, summary, counters } = verdict;
  const count = (name: string) => counters[name] ?? 0;
  const success = count('tools_ok') / Math.max(1, count('total_tools'));
  return {
    masque: verdict.masque,
    duration_min: roundHalfUp(count('duration_min'), 1),
    dimensions: performance.dimensions,
    composite: performance.composite,
    recommendation: performance.recommendation,
    stats: {
      total_cost: roundHalfUp(count('total_cost'), 4),
      total_tools: count('total_tools'),
      tools_ok: count('tools_ok'),
      tool_success_pct: roundHalfUp(success * 100, 0),
      prompts: count('prompts'),
      total_tokens: count('total_tokens'),
      cache_tokens: count('cache_tokens'),
    },
    missing_inputs: performance.missingInputs,
    signals: toSignalsWire(summary),
    tool_mix: Object.fromEntries(summary.toolMix),
    baseline: toBaselineWire(verdict),
    affected_dimensions: performance.affectedDimensions,
    cost: toCostWire(verdict.cost),
    outcomes: Object.fromEntries([...summary.metrics].filter(([name]) => OUTCOMES.test(name))),
    session: {
      session_id: summary.entry.sessionId,
      agent_id: summary.entry.agent,
      kind_of_work: verdict.kind,
      entrypoint: summary.entry.entrypoint || null,
      dialects: summary.entry.dialects,
      donned_at: verdict.donnedAt,
      doffed_at: verdict.doffedAt,
      ended: summary.entry.ended,
    },
  };
}

/** What only metrics tell: lines, commits, pull requests, time at work. */
const OUTCOMES = /^(lines_of_code|commit|pull_request|active_time)/;

function toSignalsWire({ recovery, ...signs }: VerdictLike['summary']) {
  return {
    errors: signs.errors,
    retries: signs.retries,
    rejected_tools: signs.rejectedTools,
    compactions: signs.compactions,
    loops: signs.loops,
    longest_failure_run: signs.longestFailureRun,
    recovery: recovery && {
      times: recovery.times,
      median_calls: recovery.medianCalls,
      median_seconds: roundHalfUp(recovery.medianSeconds, 1),
    },
    unrecovered: signs.unrecovered,
  };
}

function toBaselineWire({ baseline, kind }: VerdictLike) {
  if ('missing' in baseline) return baseline.missing;
  return {
    kind_of_work: kind,
    sessions: baseline.sessions,
    median: roundHalfUp(baseline.median, 2),
    difference: roundHalfUp(baseline.difference, 2),
    low: roundHalfUp(baseline.low, 2),
    high: roundHalfUp(baseline.high, 2),
  };
}

function toCostWire({ reportedUsd, pricedUsd, unpricedCalls, prices }: VerdictLike['cost']) {
  return {
    reported_usd: roundHalfUp(reportedUsd, 4),
    priced_usd: roundHalfUp(pricedUsd, 4),
    unpriced_calls: unpricedCalls,
    prices: prices.map(({ model, date, source }) => ({ model, date, source })),
  };
}
