/** How sessions become verdicts: the golden vectors through telemetry, masques, times that are cut out, and the baseline. */
import { describe, expect, it } from 'vitest';
import { type ClaudeEvent, claudeSession, START, toolResult } from '../support/claude-session.ts';
import { judgeBatches, judgeText } from '../support/judge-session.ts';
import { lines } from '../support/otlp.ts';
import { expectAgreement, vectors } from '../support/vectors.ts';

describe('the golden vectors of performance, through telemetry', () => {
  it.each(vectors('performance').map((one) => [one.name, one] as const))('%s', (_, one) => {
    const counters = one.counters as Record<string, number | null>;
    const end = (counters.duration_min ?? 0) * 60;
    const at = (i: number, n: number) => (n <= 1 ? 0 : (end * i) / (n - 1));
    const {
      total_tools: tools = 0,
      tools_ok: ok = 0,
      prompts = 0,
      total_tokens: tokens = 0,
      cache_tokens: cache = 0,
    } = counters;
    const verdict = judgeBatches([
      claudeSession('s', [
        ['other', 0],
        ['other', end],
        ...Array.from(
          { length: prompts ?? 0 },
          (_, i): ClaudeEvent => ['user_prompt', 0, { 'prompt.id': `p${i}` }],
        ),
        ...Array.from({ length: tools ?? 0 }, (_, i) =>
          toolResult(at(i, tools ?? 0), { tool_use_id: `t${i}`, success: String(i < (ok ?? 0)) }),
        ),
        [
          'api_request',
          0,
          {
            request_id: 'r',
            input_tokens: (tokens ?? 0) - (cache ?? 0),
            output_tokens: 0,
            cache_read_tokens: cache ?? 0,
            cache_creation_tokens: 0,
            cost_usd: counters.total_cost ?? 0,
          },
        ],
      ]),
    ]);
    const { dimensions, composite, recommendation } = one.expected;
    expectAgreement(
      {
        dimensions: verdict.dimensions,
        composite: verdict.composite,
        recommendation: verdict.recommendation,
      },
      { dimensions, composite, recommendation },
    );
  });
});

describe('a masque', () => {
  const events = lines([
    claudeSession('s', [
      ['user_prompt', 0],
      toolResult(60),
      toolResult(120),
      toolResult(180),
      toolResult(240),
      toolResult(300),
    ]),
  ]);
  const parts = (request: Parameters<typeof judgeText>[1]) =>
    judgeText(events, request).map(({ masque, duration_min, stats }) => [
      masque,
      duration_min,
      stats.total_tools,
    ]);
  const active = (second: number) => ({ active: { name: 'new', donnedAt: START + second * 1000 } });
  const previous = (second: number) => ({ previous: { name: 'old', doffedAt: START + second * 1000 } });

  it.each([
    ['nobody wore one', {}, [['none', 5, 5]]],
    ['it was donned before the session', active(-60), [['new', 5, 5]]],
    ['it was donned within the session', active(150), [['new', 2.5, 3]]],
    ['it was donned after the session', active(400), [['none', 5, 5]]],
    ['it was doffed within the session', previous(150), [['old', 2.5, 2]]],
    ['it was doffed before the session', previous(-60), [['none', 5, 5]]],
    ['it was doffed after the session', previous(400), [['old', 5, 5]]],
    [
      'one was changed for another',
      { ...previous(90), ...active(200) },
      [
        ['old', 1.5, 1],
        ['new', 1.7, 2],
      ],
    ],
    [
      'one was changed for another at once',
      { ...previous(120), ...active(120) },
      [
        ['old', 2, 1],
        ['new', 3, 4],
      ],
    ],
  ])('counts from don to doff when %s', (_, masqueSession, expected) => {
    expect(parts({ masqueSession })).toEqual(expected);
  });

  it('is the one that is asked for, or a name for the whole session', () => {
    expect(parts({ masque: 'old', masqueSession: { ...previous(90), ...active(200) } })).toEqual([
      ['old', 1.5, 1],
    ]);
    expect(parts({ masque: 'other', masqueSession: active(150) })).toEqual([['other', 5, 5]]);
  });

  it('gives way to times that are named', () => {
    expect(
      parts({ masqueSession: active(150), window: { from: START + 100_000, to: START + 240_000 } }),
    ).toEqual([['none', 2.3, 3]]);
  });

  it('may be named by the records, and two in one session are scored apart', () => {
    const batches = [
      claudeSession('s', [
        toolResult(0, { masque: 'red' }),
        toolResult(60, { masque: 'red' }),
        toolResult(120, { masque: 'blue' }),
      ]),
    ];
    expect(
      judgeText(lines(batches)).map(({ masque, stats, duration_min }) => [
        masque,
        stats.total_tools,
        duration_min,
      ]),
    ).toEqual([
      ['red', 2, 1],
      ['blue', 1, 0],
    ]);
  });

  it('that the records name is chosen by its name, and never given another', () => {
    const named = lines([
      claudeSession('s', [
        toolResult(0, { masque: 'red' }),
        toolResult(60, { masque: 'red' }),
        toolResult(120, { masque: 'blue' }),
      ]),
      claudeSession('t', [toolResult(500)]),
    ]);
    const of = (masque: string) =>
      judgeText(named, { masque }).map(({ session: { session_id }, masque: worn, stats }) => [
        session_id,
        worn,
        stats.total_tools,
      ]);
    expect(of('red')).toEqual([
      ['s', 'red', 2],
      ['t', 'red', 1],
    ]);
    expect(of('green')).toEqual([['t', 'green', 1]]);
    expect(() => judgeText(named, { masque: 'green', which: { session: 's' } })).toThrow(
      'There is no session',
    );
  });
});

describe('a time that is cut out', () => {
  const text = lines([
    claudeSession('early', [toolResult(0), toolResult(60)]),
    claudeSession('across', [toolResult(90), toolResult(120), toolResult(400)]),
    claudeSession('late', [toolResult(500), toolResult(600)]),
  ]);
  const window = { from: START + 100_000, to: START + 300_000 };
  const ids = (which: 'all' | 'last') =>
    judgeText(text, { which, window }).map(({ session: { session_id } }) => session_id);

  it('leaves out sessions that lie outside, and has a last one of its own', () => {
    expect(ids('all')).toEqual(['across']);
    expect(ids('last')).toEqual(['across']);
    expect(() => judgeText(text, { which: { session: 'late' }, window })).toThrow('There is no session');
  });

  it('has both its ends: what a verdict says of its own times changes nothing when it is said back', () => {
    const [whole] = judgeText(text, { which: { session: 'across' } });
    const { donned_at, doffed_at } = whole?.session ?? {};
    const said = { from: Date.parse(donned_at ?? ''), to: Date.parse(doffed_at ?? '') };
    const [again] = judgeText(text, { which: { session: 'across' }, window: said });
    expect(again?.stats).toEqual(whole?.stats);
    expect(again?.composite).toBe(whole?.composite);
  });

  it('is whole milliseconds to the end: each event is in one window of two that meet', () => {
    const every = lines([
      claudeSession(
        's',
        Array.from({ length: 1_000 }, (_, i) => toolResult(i / 1_000)),
      ),
    ]);
    for (let ms = 0; ms < 1_000; ms += 37) {
      const [verdict] = judgeText(every, { window: { from: START + ms, to: START + ms + 36 } });
      expect(verdict?.stats.total_tools, `from ${ms}`).toBe(Math.min(37, 1_000 - ms));
    }
  });
});

describe('a baseline', () => {
  const past = (n: number, kind = 'Bash') =>
    Array.from({ length: n }, (_, i) =>
      claudeSession(`p${i}`, [
        ['user_prompt', i * 1000],
        toolResult(i * 1000 + 30, { tool_name: kind }),
        toolResult(i * 1000 + 60, { tool_name: kind, success: i % 2 ? 'true' : 'false' }),
      ]),
    );
  const now = claudeSession('now', [['user_prompt', 90_000], toolResult(90_030), toolResult(90_060)]);
  const baseline = (batches: object[]) =>
    judgeText(lines([...batches, now]), { which: { session: 'now' } })[0]?.baseline;

  it('is none below five earlier sessions, and says how many there are', () => {
    expect(baseline(past(3))).toBe('not enough sessions yet (3 of 5)');
  });

  it('is a median difference with an interval that is the same on every run', () => {
    const result = baseline(past(9));
    expect(result).toEqual(baseline(past(9)));
    expect(result).toMatchObject({ kind_of_work: 'running', sessions: 9, difference: expect.any(Number) });
    const { low, high, difference } = result as { low: number; high: number; difference: number };
    expect(low).toBeLessThanOrEqual(difference);
    expect(high).toBeGreaterThanOrEqual(difference);
    expect(difference).toBeGreaterThan(0);
  });

  it('does not mind that only a part of the session is judged: those before it are whole', () => {
    const window = { from: START + 90_000_000, to: Number.POSITIVE_INFINITY };
    const text = lines([...past(9), now]);
    const [cut] = judgeText(text, { which: { session: 'now' }, window });
    expect(cut?.baseline).toEqual(baseline(past(9)));
  });

  it('compares only what is of the same kind of work, and earlier', () => {
    expect(baseline(past(9, 'Edit'))).toBe('not enough sessions yet (0 of 5)');
    const later = past(9).map((batch) =>
      JSON.parse(
        JSON.stringify(batch).replaceAll(
          /"timeUnixNano":"(\d+)"/g,
          (_, nanos) => `"timeUnixNano":"${BigInt(nanos) + 10n ** 15n}"`,
        ),
      ),
    );
    expect(baseline(later)).toBe('not enough sessions yet (0 of 5)');
  });
});
