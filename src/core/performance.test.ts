import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../test/support/refusal.ts';
import { COUNTERS, type SessionCounters, scorePerformance } from './performance.ts';

const BUSY: Required<SessionCounters> = {
  total_tools: 87,
  tools_ok: 80,
  prompts: 12,
  duration_min: 45,
  total_cost: 0.34,
  total_tokens: 142_000,
  cache_tokens: 98_000,
};

/** Anything that is accepted, up to the largest numbers there are. */
const amount = fc.oneof(fc.nat(500), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));
const counters = fc
  .record({
    total_tools: amount,
    tools_ok: amount,
    prompts: amount,
    duration_min: amount,
    total_cost: amount,
    total_tokens: amount,
    cache_tokens: amount,
  })
  .map((drawn) => ({
    ...drawn,
    tools_ok: Math.min(drawn.tools_ok, drawn.total_tools),
    cache_tokens: Math.min(drawn.cache_tokens, drawn.total_tokens),
  }));

describe('a performance', () => {
  it('has dimensions and a composite in whole tenths from 0 to 10 for whatever is accepted', () => {
    fc.assert(
      fc.property(counters, (drawn) => {
        const { dimensions, composite } = scorePerformance(drawn);
        for (const figure of [...Object.values(dimensions), composite]) {
          expect(figure).toBe(Math.round(figure * 10) / 10);
          expect(figure >= 0 && figure <= 10).toBe(true);
        }
      }),
    );
  });

  it('never falls when a tool that failed succeeds instead, or when the same costs less', () => {
    fc.assert(
      fc.property(counters, fc.double({ min: 0, max: 1, noNaN: true }), (drawn, share) => {
        const { composite } = scorePerformance(drawn);
        const better = drawn.tools_ok + (drawn.total_tools - drawn.tools_ok) * share;
        expect(scorePerformance({ ...drawn, tools_ok: better }).composite).toBeGreaterThanOrEqual(composite);
        expect(
          scorePerformance({ ...drawn, total_cost: drawn.total_cost * share }).composite,
        ).toBeGreaterThanOrEqual(composite);
      }),
    );
  });

  it.each([
    // Quality alone, in hundredths of its tenths: 6.949… stays below the line, 6.95 counts as a half and goes up.
    [{ total_tools: 1000, tools_ok: 694, prompts: 1e9, duration_min: 1e9 }, { quality: 6.9 }],
    [{ total_tools: 1000, tools_ok: 695, prompts: 1e9, duration_min: 1e9 }, { quality: 7 }],
    [
      { total_tools: 3, tools_ok: 1, prompts: 0, duration_min: 0 },
      { quality: 3.3, autonomy: 6, productivity: 10 },
    ],
  ])('rounds half up to tenths and divides by at least one: %j', (some, dimensions) => {
    expect(scorePerformance({ ...BUSY, total_cost: 0, ...some }).dimensions).toMatchObject(dimensions);
  });

  it.each([
    [7, 'keep'],
    [6.9, 'review'],
    [4, 'review'],
    [3.9, 'doff'],
  ])('recommends from the composite: %d is %s', (target, recommendation) => {
    const found = search((scored) => scored.composite === target);
    expect(found.recommendation).toBe(recommendation);
  });

  it('counts a missing input as 0, names it, and says which dimensions it touches', () => {
    const { total_cost: _, ...without } = BUSY;
    expect(scorePerformance(without)).toMatchObject({
      dimensions: { cost_efficiency: 10 },
      missingInputs: ['total_cost'],
      affectedDimensions: ['cost_efficiency'],
    });
    expect(scorePerformance({ ...BUSY, total_tools: null })).toMatchObject({
      missingInputs: ['total_tools'],
      affectedDimensions: ['quality', 'autonomy'],
    });
    expect(scorePerformance({}).missingInputs).toEqual(COUNTERS);
    expect(scorePerformance(BUSY)).toMatchObject({ missingInputs: [], affectedDimensions: [] });
  });

  it.each([
    [{ prompts: -1 }, 'counters.prompts'],
    [{ total_cost: Number.POSITIVE_INFINITY }, 'counters.total_cost'],
    [{ duration_min: Number.NaN }, 'counters.duration_min'],
    [{ tools_ok: 88 }, 'counters.tools_ok'],
    [{ cache_tokens: 142_001 }, 'counters.cache_tokens'],
    [{ total_tools: '87' as never }, 'counters.total_tools'],
    [{ tool_ok: 3 } as never, 'counters.tool_ok'],
  ])('refuses %j with its path', (bad, path) => {
    expectRefusal(() => scorePerformance({ ...BUSY, ...bad }), path);
  });
});

/** The first session on a small grid whose performance is as wanted. */
function search(wanted: (scored: ReturnType<typeof scorePerformance>) => boolean) {
  for (let toolsOk = 0; toolsOk <= 100; toolsOk++) {
    for (let cache = 0; cache <= 100; cache += 5) {
      const scored = scorePerformance({
        ...BUSY,
        total_tools: 100,
        tools_ok: toolsOk,
        total_tokens: 100,
        cache_tokens: cache,
      });
      if (wanted(scored)) return scored;
    }
  }
  throw new Error('no session on the grid is as wanted');
}
