import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reputationOf } from './reputation.ts';
import { explainChanges, type NamedEvaluation } from './reputation-changes.ts';

const latencyMs = fc.oneof(fc.double({ min: 0, max: 200, noNaN: true }), fc.constantFrom(0, 0.1, 86_400_000));
const named = (evaluations: { passed: boolean; latencyMs: number }[]): NamedEvaluation[] =>
  evaluations.map((one, i) => ({ ...one, evaluationId: `e${i}` }));
const history = (maxLength: number) =>
  fc.array(fc.record({ passed: fc.boolean(), latencyMs }), { maxLength, size: 'max' });

describe('what moved a score', () => {
  it('adds up to the exact difference with one rounding term, in any order, for random histories', () => {
    fc.assert(
      fc.property(history(700), history(150), (before, since) => {
        const all = named([...before, ...since]);
        const [window, arrived] = [all.slice(0, before.length), all.slice(before.length)];
        const changes = explainChanges(window, arrived);
        expect(changes.before).toBe(reputationOf(window).score);
        expect(changes.after).toBe(reputationOf(all).score);
        const points = changes.contributions.map((one) => one.points);
        const backwards = points.toReversed().reduce((sum, one) => sum + one, 0);
        expect(points.reduce((sum, one) => sum + one, 0) + changes.rounding).toBe(changes.difference);
        expect(backwards + changes.rounding).toBe(changes.difference);
        for (const { components, points: total } of changes.contributions) {
          expect(Object.values(components).reduce((sum, one) => sum + one, 0)).toBe(total);
        }
        const byComponent = Object.values(changes.components).reduce((sum, one) => sum + one, 0);
        expect(byComponent + changes.rounding).toBe(changes.after - changes.before);
        expect(Math.abs(changes.rounding)).toBeLessThan(1 + 1e-5);
      }),
      { numRuns: 30, interruptAfterTimeLimit: 20_000 },
    );
  });

  it('names what came in and what it pushed out, in order of arrival', () => {
    const all = named(Array.from({ length: 502 }, (_, i) => ({ passed: i !== 1, latencyMs: 0 })));
    const { contributions, difference, components } = explainChanges(all.slice(0, 500), all.slice(500));
    expect(contributions.map(({ evaluationId, change }) => [change, evaluationId])).toEqual([
      ['evicted', 'e0'],
      ['pushed', 'e500'],
      ['evicted', 'e1'],
      ['pushed', 'e501'],
    ]);
    // The failure that left the window gives back its share of 400 points.
    expect(difference).toBe(1);
    expect(components.passRate).toBeCloseTo(0.8, 5);
    expect(components.volume).toBe(0);
    expect(contributions[0]?.components.volume).toBeCloseTo(-0.3, 5);
  });

  it('gives the first evaluation of all what a score begins with', () => {
    const { before, after, contributions } = explainChanges([], named([{ passed: true, latencyMs: 0 }]));
    expect([before, after]).toEqual([0, 654]);
    expect(contributions[0]?.components.latency).toBe(250);
  });

  it('has nothing to say when nothing happened', () => {
    expect(explainChanges(named([{ passed: true, latencyMs: 1 }]), [])).toMatchObject({
      difference: 0,
      contributions: [],
      rounding: 0,
    });
  });
});
