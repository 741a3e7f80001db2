import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toIdentityEvents, toIdentityWire } from '../src/core/contract/identity.ts';
import { toPerformanceWire } from '../src/core/contract/performance.ts';
import { toEvaluations, toReputationWire } from '../src/core/contract/reputation.ts';
import {
  toConsistencyMetadata,
  toReliabilityMetadata,
  toTraces,
} from '../src/core/contract/session-metrics.ts';
import {
  type DailySum,
  dayOf,
  edgeDays,
  ReputationWindow,
  reputationOf,
  scoreConsistency,
  scoreIdentity,
  scoreIdentityFromDays,
  scorePerformance,
  scoreReliability,
  toDailySums,
  toSessionSignals,
} from '../src/core/index.ts';
import { renown } from './support/renown.ts';
import { type Case, expectAgreement, METRICS, type Metric, vectors, vectorsFile } from './support/vectors.ts';

/** The functions of core under the names of the wire, by hand: `renown score` has its own way, tested below. */
const FUNCTIONS: Record<Metric, (input: never) => object[]> = {
  reputation(input: Parameters<typeof toEvaluations>[0]) {
    const evaluations = toEvaluations(input);
    return [reputationOf(evaluations), ReputationWindow.from(evaluations).reputation()].map((reputation) =>
      toReputationWire(reputation),
    );
  },
  agent_reliability(input: Parameters<typeof toTraces>[0] & { signal_weights: null }) {
    const session = toSessionSignals(toTraces(input));
    const result = scoreReliability(session, { weights: input.signal_weights });
    const metadata = toReliabilityMetadata(session, result);
    return [{ score: result.score, reason: result.reason, ...metadata, ...metadata.aggregation }];
  },
  agent_consistency(input: Parameters<typeof toTraces>[0] & { signal_weights: null }) {
    const session = toSessionSignals(toTraces(input));
    const result = scoreConsistency(session, { weights: input.signal_weights });
    return [{ score: result.score, reason: result.reason, ...toConsistencyMetadata(session, result) }];
  },
  performance(input: { counters: Parameters<typeof scorePerformance>[0] }) {
    return [toPerformanceWire(scorePerformance(input.counters))];
  },
  identity(input: Parameters<typeof toIdentityEvents>[0] & { now: number }) {
    const events = toIdentityEvents(input);
    const days = edgeDays(input.now);
    const edges = events.filter(({ timestamp }) => days.includes(dayOf(timestamp)));
    const sums: DailySum[] = toDailySums(events);
    return [scoreIdentity(events, input.now), scoreIdentityFromDays(sums, edges, input.now)].map(
      toIdentityWire,
    );
  },
};

describe.each(METRICS)('the golden vectors of %s', (metric) => {
  const cases = vectors(metric);

  it.each(cases.map((one): [string, Case] => [one.name, one]))(
    'agree through the functions: %s',
    (_, one) => {
      const results = FUNCTIONS[metric](one as never);
      for (const result of results) expectAgreement(result, one.expected);
    },
  );

  it('agree through `renown score` on the whole file, as a list', () => {
    const { exit, stdout, stderr } = renown(['score', metric, fileURLToPath(vectorsFile(metric))]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const results = JSON.parse(stdout) as object[];
    expect(results).toHaveLength(cases.length);
    results.forEach((result, i) => {
      expectAgreement(result, cases[i]?.expected);
    });
  });

  it('agree through `renown score` on standard input, as JSON Lines', () => {
    const input = cases.map((one) => JSON.stringify(one)).join('\n');
    const { stdout } = renown(['score', metric], { input });
    const results = stdout.trim().split('\n');
    expect(results).toHaveLength(cases.length);
    results.forEach((line, i) => {
      expectAgreement(JSON.parse(line), cases[i]?.expected);
    });
  });
});
