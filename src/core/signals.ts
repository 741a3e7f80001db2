/**
 * What a trace tells about a turn: up to four signals, numbers from 0 to 1 where 1 is good. A risk is 1 − signal.
 * An absent signal is skipped everywhere, neither 0 nor 1.
 */
import { Issues, isWithin } from './issues.ts';
import { LIMITS } from './limits.ts';

export const SIGNALS = ['confidence', 'loop_detection', 'tool_correctness', 'coherence'] as const;
export type Signal = (typeof SIGNALS)[number];

export interface Trace {
  traceId: string;
  signals: { readonly [signal in Signal]?: number | null | undefined };
}

export type SignalWeights = Record<Signal, number>;

const DEFAULT_SIGNAL_WEIGHTS: Readonly<SignalWeights> = {
  confidence: 1,
  loop_detection: 1,
  tool_correctness: 0.8,
  coherence: 1,
};

/** The traces of a session as columns, one number per trace and signal, NaN where a trace has none. */
export type SignalColumns = Record<Signal, Float64Array>;

/** A mark that only `toSessionSignals` gives, so that no metric ever meets an unchecked number. */
declare const checked: unique symbol;

/** Checked traces: ids in order, their columns, and how many traces carry each signal. */
export interface SessionSignals {
  readonly [checked]: true;
  readonly traceIds: readonly string[];
  readonly columns: SignalColumns;
  readonly counts: Readonly<Record<Signal, number>>;
}

/** Checks traces and lays them out as columns. Refuses a signal out of range, an unknown one, and an id seen twice. */
export function toSessionSignals(traces: readonly Trace[]): SessionSignals {
  const issues = new Issues();
  const columns = forEachSignal(() => new Float64Array(traces.length).fill(Number.NaN));
  const counts = forEachSignal(() => 0);
  const seen = new Set<string>();
  const traceIds = traces.map(({ traceId, signals }, i) => {
    if (typeof traceId !== 'string' || traceId === '')
      issues.add(`traces[${i}].trace_id`, 'must be a non-empty text');
    if (seen.has(traceId)) issues.add(`traces[${i}].trace_id`, 'stands twice in this request');
    seen.add(traceId);
    checkSignals(signals, i, issues);
    for (const signal of SIGNALS) {
      const value = signals[signal];
      if (value === null || value === undefined) continue;
      columns[signal][i] = value;
      counts[signal]++;
    }
    return traceId;
  });
  issues.throwIfAny();
  return { traceIds, columns, counts } as unknown as SessionSignals;
}

/** Refuses an unknown signal, and one out of range, of the trace at a place of a request. */
export function checkSignals(signals: object, i: number, issues: Issues): void {
  for (const [name, value] of Object.entries(signals)) {
    // The path is made for what is refused alone, to spare a million good traces the making of theirs.
    if (!isSignal(name)) {
      issues.add(`traces[${i}].signals.${name}`, `is unknown; the signals are ${SIGNALS.join(', ')}`);
    } else if (value !== null && value !== undefined && !isSignalValue(value)) {
      issues.number(value, `traces[${i}].signals.${name}`, SIGNAL_RANGE);
    }
  }
}

/** Whether a number can be a signal at all: finite, and from 0 to 1. */
export function isSignalValue(value: unknown): boolean {
  return isWithin(value, SIGNAL_RANGE);
}

/** The default weights with a caller's own on top. */
export function toSignalWeights(overrides: Partial<SignalWeights> | null | undefined): SignalWeights {
  const issues = new Issues();
  for (const [name, weight] of Object.entries(overrides ?? {})) {
    const path = `signal_weights.${name}`;
    if (!isSignal(name)) issues.add(path, `is unknown; the signals are ${SIGNALS.join(', ')}`);
    else issues.number(weight, path, { min: 0, max: LIMITS.signalWeightMax });
  }
  issues.throwIfAny();
  return { ...DEFAULT_SIGNAL_WEIGHTS, ...overrides };
}

const SIGNAL_RANGE = { min: 0, max: 1 };

function forEachSignal<T>(make: () => T): Record<Signal, T> {
  return { confidence: make(), loop_detection: make(), tool_correctness: make(), coherence: make() };
}

function isSignal(name: string): name is Signal {
  return (SIGNALS as readonly string[]).includes(name);
}
