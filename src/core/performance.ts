/**
 * Performance of one session, from don to doff: five dimensions from 0.0 to 10.0, a composite, and what to do.
 *
 *   quality = tools_ok/tools·10      autonomy = tools/prompts·2       productivity = tools_ok/duration_min·10
 *   token_efficiency = cache_tokens/total_tokens·10                   cost_efficiency = 10 − cost/tools_ok·100
 *   composite = .30·quality + .25·autonomy + .20·productivity + .15·token_efficiency + .10·cost_efficiency
 *
 * Denominators are at least 1. All rounding happens in whole tenths, so that no score depends on how a decimal
 * fraction is written in binary. Names of counters and dimensions are also values (`missing_inputs` lists them), so
 * they keep their spelling from the wire.
 */
import { Issues } from './issues.ts';

export const COUNTERS = [
  'total_tools',
  'tools_ok',
  'prompts',
  'duration_min',
  'total_cost',
  'total_tokens',
  'cache_tokens',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** What happened in a session. A counter that the telemetry lacks is absent or null, which is not the same as 0. */
export type SessionCounters = { readonly [counter in Counter]?: number | null | undefined };

/** In percent, so that the composite is a sum of whole numbers. */
export const DIMENSION_WEIGHTS_PERCENT = {
  quality: 30,
  autonomy: 25,
  productivity: 20,
  token_efficiency: 15,
  cost_efficiency: 10,
} as const;
export type Dimension = keyof typeof DIMENSION_WEIGHTS_PERCENT;

export type Recommendation = 'keep' | 'review' | 'doff';

export interface Performance {
  dimensions: Record<Dimension, number>;
  composite: number;
  recommendation: Recommendation;
  /** Counters that were absent and went into the formula as 0. */
  missingInputs: Counter[];
  /** The dimensions those touch: their figures are not to be taken at face value. */
  affectedDimensions: Dimension[];
}

export function scorePerformance(counters: SessionCounters): Performance {
  checkCounters(counters);
  const count = (name: Counter) => counters[name] ?? 0;
  const tenths: Record<Dimension, number> = {
    quality: toTenths((count('tools_ok') / atLeast1(count('total_tools'))) * 10),
    autonomy: toTenths((count('total_tools') / atLeast1(count('prompts'))) * 2),
    productivity: toTenths((count('tools_ok') / atLeast1(count('duration_min'))) * 10),
    token_efficiency: toTenths((count('cache_tokens') / atLeast1(count('total_tokens'))) * 10),
    cost_efficiency: toTenths(10 - (count('total_cost') / atLeast1(count('tools_ok'))) * 100),
  };
  const composite = compositeInTenths(tenths);
  const missingInputs = COUNTERS.filter((name) => isMissing(counters[name]));
  return {
    dimensions: Object.fromEntries(DIMENSIONS.map((name) => [name, tenths[name] / 10])) as Record<
      Dimension,
      number
    >,
    composite: composite / 10,
    recommendation: composite >= 70 ? 'keep' : composite >= 40 ? 'review' : 'doff',
    missingInputs,
    affectedDimensions: DIMENSIONS.filter((name) =>
      INPUTS_OF[name].some((input) => missingInputs.includes(input)),
    ),
  };
}

const DIMENSIONS = Object.keys(DIMENSION_WEIGHTS_PERCENT) as Dimension[];

const INPUTS_OF: Readonly<Record<Dimension, readonly Counter[]>> = {
  quality: ['tools_ok', 'total_tools'],
  autonomy: ['total_tools', 'prompts'],
  productivity: ['tools_ok', 'duration_min'],
  token_efficiency: ['cache_tokens', 'total_tokens'],
  cost_efficiency: ['total_cost', 'tools_ok'],
};

/** Clamped to 0–10 and rounded half up to tenths; the 1e-9 lets a half that binary holds just below count as one. */
function toTenths(value: number): number {
  const clamped = Math.min(10, Math.max(0, value));
  return Math.floor((clamped + 1e-9) * 10 + 0.5);
}

function compositeInTenths(tenths: Record<Dimension, number>): number {
  const weighted = DIMENSIONS.reduce((sum, name) => sum + DIMENSION_WEIGHTS_PERCENT[name] * tenths[name], 0);
  return Math.floor((weighted + 50) / 100);
}

function checkCounters(counters: SessionCounters): void {
  const issues = new Issues();
  for (const name of Object.keys(counters)) {
    if (!(COUNTERS as readonly string[]).includes(name)) {
      issues.add(`counters.${name}`, `is unknown; the counters are ${COUNTERS.join(', ')}`);
    }
  }
  for (const name of COUNTERS) {
    if (!isMissing(counters[name])) {
      issues.number(counters[name], `counters.${name}`, { min: 0, max: Number.MAX_VALUE });
    }
  }
  refusePartAboveWhole('tools_ok', 'total_tools', { counters, issues });
  refusePartAboveWhole('cache_tokens', 'total_tokens', { counters, issues });
  issues.throwIfAny();
}

function refusePartAboveWhole(
  part: Counter,
  whole: Counter,
  { counters, issues }: { counters: SessionCounters; issues: Issues },
): void {
  const [some, all] = [counters[part], counters[whole]];
  if (isMissing(some) || isMissing(all) || !(some > all)) return;
  issues.add(`counters.${part}`, `is ${some}, more than ${whole} (${all})`);
}

function isMissing(value: number | null | undefined): value is null | undefined {
  return value === null || value === undefined;
}

function atLeast1(denominator: number): number {
  return Math.max(1, denominator);
}
