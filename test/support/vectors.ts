import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export type Metric = 'reputation' | 'agent_reliability' | 'agent_consistency' | 'performance' | 'identity';

export const METRICS: Metric[] = [
  'reputation',
  'agent_reliability',
  'agent_consistency',
  'performance',
  'identity',
];

/** One golden case: its input, and what an independent implementation gives for it. */
export type Case = { name: string; expected: Record<string, unknown> } & Record<string, unknown>;

export function vectorsFile(metric: Metric): URL {
  return new URL(`../fixtures/vectors/${metric}.json`, import.meta.url);
}

export function vectors(metric: Metric): Case[] {
  return JSON.parse(readFileSync(vectorsFile(metric), 'utf8'));
}

/** Counts and whole scores agree exactly or not at all; any other number may differ by 1e-9. */
const WHOLE = /\/(eval_count|passed|streak|total_traces_in_session|traces_evaluated|\w+_events)$/;

/** Every figure of `expected` is in `actual`. Records below the top must have the same keys, lists the same length. */
export function expectAgreement(actual: unknown, expected: unknown, path = ''): void {
  if (typeof expected === 'number' && !WHOLE.test(path)) {
    expect(Math.abs((actual as number) - expected), `${path}: ${actual} for ${expected}`).toBeLessThanOrEqual(
      1e-9,
    );
  } else if (typeof expected === 'object' && expected !== null) {
    if (path !== '') expect(Object.keys(actual as object).sort(), path).toEqual(Object.keys(expected).sort());
    for (const [key, value] of Object.entries(expected)) {
      expectAgreement((actual as Record<string, unknown>)[key], value, `${path}/${key}`);
    }
  } else {
    expect(actual, path).toBe(expected);
  }
}
