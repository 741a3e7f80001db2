/**
 * Says that an agent got worse, since when and how sure: a mixture of Shiryaev–Roberts e-detectors (Shin, Ramdas & Rinaldo
 * 2024). For each alternative q below the baseline p0 it keeps M ← (M + 1)·LR_q, and alarms when their mean reaches
 * 20,000: whatever the healthy agent does, as long as each evaluation passes with a chance of at least p0 given those
 * before, P(alarm by t) ≤ t/20,000. In simulation 3 % of healthy agents alarm within 1,000 evaluations.
 *
 * The baseline is declared, or the lower 95 % edge at the 500th evaluation; before that it is silent. One estimated
 * from fewer would be wrong too often: from a hundred, one agent in six alarms falsely within a thousand.
 */
import { Issues } from '../issues.ts';
import { wilsonInterval } from './wilson.ts';

export const ALARM_AT = 20_000;
export const BASELINE_FROM = 500;
/** Relative to a baseline of .95, and moved with it. */
const ALTERNATIVES = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9].map((q) => q / 0.95);
/** A baseline of 1 would make the first failure impossible, and its likelihood ratio infinite. */
const BASELINE_RANGE = { min: 0.05, max: 0.999 };
/** Far above the alarm and far below what a double holds. */
const M_MAX = 1e300;

/** Plain numbers, for a store to keep. */
export interface DetectorState {
  /** Evaluations seen, and how many of them passed. */
  seen: number;
  passed: number;
  /** Null until it is known. */
  baseline: number | null;
  /** For each alternative: the Shiryaev–Roberts value, the CUSUM, and after which evaluation that last began anew. */
  sums: number[];
  cusums: number[];
  starts: number[];
  alarm: ChangeAlarm | null;
}

export interface ChangeAlarm {
  /** The evaluation that raised it, counted from 1. */
  at: number;
  /** The best guess at the first one of the worse stretch. */
  since: number;
  /** How many times likelier the record is under a change than under the baseline, at the alarm. */
  eValue: number;
  baseline: number;
  /** The pass rate since then. */
  rateSince: number;
}

/** `baseline` where the org declares one; it is used from the first evaluation on. */
export function createDetector(baseline: number | null = null): DetectorState {
  if (baseline !== null) {
    const issues = new Issues();
    issues.number(baseline, 'baseline_pass_rate', BASELINE_RANGE);
    issues.throwIfAny();
  }
  const zeros = () => ALTERNATIVES.map(() => 0);
  return {
    seen: 0,
    passed: 0,
    baseline,
    sums: zeros(),
    cusums: zeros(),
    starts: zeros(),
    alarm: null,
  };
}

/**
 * Takes in one verdict, in place, and answers with the alarm when this one raised it. It alarms once: after that it is for
 * somebody to look, and to begin with a new detector.
 */
export function observe(state: DetectorState, passed: boolean): ChangeAlarm | null {
  state.seen++;
  if (passed) state.passed++;
  if (state.alarm) return null;
  if (state.baseline === null) {
    if (state.seen === BASELINE_FROM) state.baseline = estimateBaseline(state.passed);
    return null;
  }
  const { baseline } = state;
  let total = 0;
  let best = 0;
  for (const [i, share] of ALTERNATIVES.entries()) {
    const q = share * baseline;
    const ratio = passed ? q / baseline : (1 - q) / (1 - baseline);
    state.sums[i] = Math.min(M_MAX, ((state.sums[i] as number) + 1) * ratio);
    if ((state.cusums[i] as number) <= 1) state.starts[i] = state.seen;
    state.cusums[i] = Math.min(M_MAX, Math.max(state.cusums[i] as number, 1) * ratio);
    if ((state.cusums[i] as number) > (state.cusums[best] as number)) best = i;
    total += state.sums[i] as number;
  }
  const eValue = total / ALTERNATIVES.length;
  if (eValue < ALARM_AT) return null;
  const since = state.starts[best] as number;
  const rateSince = rateOf(
    ALTERNATIVES[best] as number,
    baseline,
    state.cusums[best] as number,
    state.seen - since + 1,
  );
  state.alarm = { at: state.seen, since, eValue, baseline, rateSince };
  return state.alarm;
}

/** Begins with a baseline from the 500 evaluations of a window, for an agent that was there before the detector. */
export function learnBaseline(state: DetectorState, passed: number): DetectorState {
  return { ...state, seen: BASELINE_FROM, passed, baseline: estimateBaseline(passed) };
}

/** The lower 95 % edge: an agent that was lucky at first is not held to its luck. */
function estimateBaseline(passed: number): number {
  const { low } = wilsonInterval(passed, BASELINE_FROM);
  return Math.min(BASELINE_RANGE.max, Math.max(BASELINE_RANGE.min, low));
}

/** The pass rate of the last n, read back out of their likelihood ratio: ln C = k·ln(q/p) + (n − k)·ln((1−q)/(1−p)). */
function rateOf(share: number, baseline: number, cusum: number, n: number): number {
  const q = share * baseline;
  const onFailure = Math.log((1 - q) / (1 - baseline));
  const passes = (Math.log(cusum) - n * onFailure) / (Math.log(share) - onFailure);
  return Math.min(1, Math.max(0, Math.round(passes) / n));
}
