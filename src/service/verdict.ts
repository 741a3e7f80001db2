/** The verdict on one session, or on the part of it in which one masque was worn: counters, score, and how much of both is known. */
import {
  type Counter,
  type Dimension,
  type Performance,
  type SessionCounters,
  scorePerformance,
} from '../core/performance.ts';
import type { Price } from '../telemetry/prices.ts';
import type { SessionSummary } from '../telemetry/session-summary.ts';
import { type KindOfWork, kindOfWork } from './kind-of-work.ts';

/** What a session cost, by whose word. */
interface CostSources {
  reportedUsd: number;
  pricedUsd: number;
  /** Model calls whose cost nobody knows. */
  unpricedCalls: number;
  /** The prices that were used. */
  prices: Price[];
}

/** A session as it stands alone, before it is compared with others. */
export interface Judged {
  masque: string;
  summary: SessionSummary;
  kind: KindOfWork;
  /** From when to when it was judged, as ISO 8601; null where no record had a time. */
  donnedAt: string | null;
  doffedAt: string | null;
  counters: SessionCounters;
  performance: Performance;
  cost: CostSources;
}

export function judge(summary: SessionSummary, masque: string): Judged {
  const cost = costSources(summary);
  const counters = toCounters(summary, cost);
  const performance = scorePerformance(counters);
  const isCostPartial = cost.unpricedCalls > 0 && counters.total_cost !== null;
  return {
    masque,
    summary,
    kind: kindOfWork(summary.toolMix.keys()),
    donnedAt: toTime(summary.startedAt),
    doffedAt: toTime(summary.endedAt),
    counters,
    performance: isCostPartial ? withMissing(performance, 'total_cost', 'cost_efficiency') : performance,
    cost,
  };
}

function toTime(at: number): string | null {
  return at === 0 || !Number.isFinite(at) ? null : new Date(Math.floor(at)).toISOString();
}

/** What the telemetry lacks is null, which is not the same as 0. */
function toCounters(summary: SessionSummary, cost: CostSources): SessionCounters {
  const { entry, tools, toolsOk, prompts, models } = summary;
  // Whoever called a model or a tool was asked to by somebody: no prompt at all means that prompts are not reported.
  const worked = tools > 0 || models.length > 0 || !entry.detailed;
  const tokens = countTokens(summary);
  return {
    total_tools: entry.detailed ? tools : null,
    tools_ok: entry.detailed ? toolsOk : null,
    prompts: prompts === 0 && worked ? null : prompts,
    duration_min: entry.lastAt === 0 ? null : Math.max(0, summary.endedAt - summary.startedAt) / 60_000,
    total_cost: countCost(summary, cost),
    ...tokens,
  };
}

function countTokens({ models, hasTokens, hasCacheTokens, metrics }: SessionSummary): SessionCounters {
  if (hasTokens) {
    const sum = (of: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
      models.reduce((total, model) => total + model[of], 0);
    return {
      total_tokens: sum('input') + sum('output') + sum('cacheRead') + sum('cacheWrite'),
      cache_tokens: hasCacheTokens ? sum('cacheRead') : null,
    };
  }
  const parts = ['input', 'output', 'cacheRead', 'cacheCreation'].map((type) =>
    metrics.get(`token.usage/${type}`),
  );
  if (parts.every((part) => part === undefined)) return { total_tokens: null, cache_tokens: null };
  return {
    total_tokens: parts.reduce<number>((total, part) => total + (part ?? 0), 0),
    cache_tokens: parts[2] ?? null,
  };
}

function countCost(
  { models }: SessionSummary,
  { reportedUsd, pricedUsd, unpricedCalls }: CostSources,
): number | null {
  const calls = models.reduce((total, model) => total + model.calls, 0);
  return calls > unpricedCalls || reportedUsd > 0 ? reportedUsd + pricedUsd : null;
}

/** What the agent says comes first: of each call, or else of all of them, as a metric. Prices fill what it leaves out. */
function costSources({ models, metrics }: SessionSummary): CostSources {
  const sum = (of: 'reportedUsd' | 'pricedUsd' | 'unpricedCalls') =>
    models.reduce((total, model) => total + model[of], 0);
  const asMetric = metrics.get('cost.usage');
  if (asMetric !== undefined && sum('reportedUsd') === 0) {
    return { reportedUsd: asMetric, pricedUsd: 0, unpricedCalls: 0, prices: [] };
  }
  return {
    reportedUsd: sum('reportedUsd'),
    pricedUsd: sum('pricedUsd'),
    unpricedCalls: sum('unpricedCalls'),
    prices: [
      ...new Set(models.flatMap(({ pricedCalls, price }) => (pricedCalls > 0 && price ? [price] : []))),
    ],
  };
}

/** A sum that leaves something out is used as far as it goes, and marked. */
function withMissing(performance: Performance, input: Counter, dimension: Dimension): Performance {
  return {
    ...performance,
    missingInputs: [...new Set([...performance.missingInputs, input])],
    affectedDimensions: [...new Set([...performance.affectedDimensions, dimension])],
  };
}
