import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDrop, checkReputation, checkSession, worstOf } from './check.ts';
import { scoreReliability } from './reliability.ts';
import { type Evaluation, reputationOf } from './reputation.ts';
import { toSessionSignals } from './signals.ts';

function record(passed: number, failed: number): Evaluation[] {
  const one = (ok: boolean) => ({ passed: ok, latencyMs: 0 });
  return [
    ...Array.from({ length: failed }, () => one(false)),
    ...Array.from({ length: passed }, () => one(true)),
  ];
}

/** Nine passes after every failure, and nothing else: an agent that does not change. */
function steady(count: number): Evaluation[] {
  return Array.from({ length: count }, (_, i) => ({ passed: i % 10 !== 0, latencyMs: 0 }));
}

describe('a check of a reputation', () => {
  it('passes when even the lower edge is high enough', () => {
    expect(checkReputation(reputationOf(record(500, 0)), { min: 900 })).toEqual({
      verdict: 'pass',
      reason: 'Even its lower edge reaches 900: the band of the score is 994 to 1000.',
      furtherEvaluations: null,
    });
  });

  it('fails when even the upper edge is too low', () => {
    expect(checkReputation(reputationOf(record(100, 400)), { min: 800 })).toMatchObject({
      verdict: 'fail',
      furtherEvaluations: null,
    });
  });

  it('says that it cannot tell yet, and how many further evaluations would', () => {
    const reputation = reputationOf(steady(70));
    const min = reputation.score - 20;
    const { verdict, furtherEvaluations } = checkReputation(reputation, { min });
    expect(verdict).toBe('not_enough_evidence');
    expect(furtherEvaluations).toBeGreaterThan(20);
    expect(furtherEvaluations).toBeLessThan(400);
    // The agent goes on as it was, and the time comes about when it was expected.
    const verdictAfter = (share: number) =>
      checkReputation(reputationOf(steady(70 + 10 * Math.round(((furtherEvaluations ?? 0) * share) / 10))), {
        min,
      }).verdict;
    expect(verdictAfter(0.5)).toBe('not_enough_evidence');
    expect(verdictAfter(1.5)).toBe('pass');
  });

  it('says so too when no number of evaluations would tell', () => {
    const reputation = reputationOf(steady(509));
    expect(checkReputation(reputation, { min: reputation.score })).toMatchObject({
      verdict: 'not_enough_evidence',
      furtherEvaluations: null,
    });
  });

  it('never passes an agent nobody has evaluated', () => {
    for (const options of [{ min: 0 }, { min: 0, point: true }, { min: 700 }]) {
      expect(checkReputation(reputationOf([]), options).verdict).toBe('not_enough_evidence');
    }
  });

  it('reads the bare score only when asked', () => {
    const reputation = reputationOf(record(60, 4));
    expect(checkReputation(reputation, { min: 830, point: true }).verdict).toBe('pass');
    expect(checkReputation(reputation, { min: reputation.score + 1, point: true }).verdict).toBe('fail');
  });

  it('is never pass below the score and never fail above it, for any record and minimum', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.nat(1_000), (passed, failed, min) => {
        const reputation = reputationOf(record(passed, failed));
        const { verdict, furtherEvaluations } = checkReputation(reputation, { min });
        if (reputation.score < min) expect(verdict).not.toBe('pass');
        else expect(verdict).not.toBe('fail');
        if (verdict !== 'not_enough_evidence') expect(furtherEvaluations).toBeNull();
      }),
    );
  });
});

describe('a check of a drop', () => {
  it('compares with what stood before, and reads the band of what stands now', () => {
    const before = reputationOf(record(500, 0));
    expect(checkDrop(before, reputationOf(record(499, 1)), { maxDrop: 50 }).verdict).toBe('pass');
    expect(checkDrop(before, reputationOf(record(200, 300)), { maxDrop: 50 }).verdict).toBe('fail');
    expect(checkDrop(before, reputationOf(record(450, 50)), { maxDrop: 40 }).verdict).toBe(
      'not_enough_evidence',
    );
    expect(checkDrop(reputationOf([]), before, { maxDrop: 50 }).verdict).toBe('not_enough_evidence');
  });
});

describe('a check of a session', () => {
  const score = (signals: Record<string, number>[]) =>
    scoreReliability(toSessionSignals(signals.map((one, i) => ({ traceId: `t${i}`, signals: one }))), {});

  it('never passes on the strength of having seen nothing', () => {
    expect(checkSession(score([]), 0.5)).toMatchObject({
      verdict: 'not_enough_evidence',
      reason: 'No traces or signals to evaluate.',
    });
  });

  it('passes or fails by its score, and says when the evidence is partial', () => {
    expect(checkSession(score([{ confidence: 0.9 }]), 0.5)).toMatchObject({ verdict: 'pass' });
    expect(checkSession(score([{ confidence: 0.9 }]), 0.5).reason).toContain('on partial evidence');
    expect(checkSession(score([{ confidence: 0.3 }]), 0.5)).toMatchObject({ verdict: 'fail' });
  });
});

it('several checks are as good as the worst of them', () => {
  const of = (verdict: 'pass' | 'fail' | 'not_enough_evidence') => ({
    verdict,
    reason: verdict,
    furtherEvaluations: null,
  });
  expect(worstOf([of('pass'), of('not_enough_evidence')]).verdict).toBe('not_enough_evidence');
  expect(worstOf([of('not_enough_evidence'), of('fail'), of('pass')]).verdict).toBe('fail');
  expect(worstOf([of('pass')]).verdict).toBe('pass');
});
