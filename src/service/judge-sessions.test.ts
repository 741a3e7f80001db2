import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHead } from '../core/session-head.ts';
import { EVENT_KINDS } from '../telemetry/session-event.ts';
import { SessionTable } from '../telemetry/session-table.ts';
import { judgeSessions } from './judge-sessions.ts';

const TOOL = EVENT_KINDS.indexOf('tool');

/** Sessions of one tool result after another; many begin at the same moment, and some have two masques. */
const sessions = fc.array(
  fc.record({
    startedAt: fc.integer({ min: 1, max: 12 }),
    masque: fc.constantFrom('', 'reviewer'),
    tool: fc.constantFrom('Edit', 'Bash'),
    agent: fc.constantFrom('claude-code', 'codex'),
    outcomes: fc.array(fc.boolean(), { maxLength: 4, size: 'max' }),
    isSecondOfAnother: fc.boolean(),
  }),
  { minLength: 40, maxLength: 70, size: 'max' },
);

function tableOf(told: typeof sessions extends fc.Arbitrary<infer T> ? T : never): SessionTable {
  const table = new SessionTable();
  told.forEach(({ startedAt, masque, tool, agent, outcomes, isSecondOfAnother }, i) => {
    const sessionId = `s${isSecondOfAnother ? i >> 1 : i}`;
    const at = startedAt * 1_000;
    const head = { ...emptyHead(sessionId, masque), agent, agentRank: 1, firstAt: at, lastAt: at + 900 };
    table.addKept(
      { ...head, detailed: true },
      outcomes.map((ok, k) => ({
        fingerprint: 1 + i * 100 + k,
        kind: TOOL,
        outcome: ok ? 1 : 2,
        source: 0,
        at: at + k,
        name: tool,
        amount: null,
        cost: null,
        tokens: null,
      })),
    );
  });
  return table;
}

describe('one session', () => {
  it('is judged without what an older version let in and no sum can hold', () => {
    const table = new SessionTable();
    const report = {
      fingerprint: 1,
      kind: EVENT_KINDS.indexOf('model'),
      outcome: 0,
      source: 0,
      at: 1_000,
      name: 'm',
      amount: null,
      cost: null,
    };
    const head = { ...emptyHead('s', ''), firstAt: 1_000, lastAt: 2_000, detailed: true };
    const told = [1e308, 1e308, 7].map((input, i) => ({
      ...report,
      fingerprint: i + 1,
      tokens: [input, 0, null, null],
    }));
    table.addKept(head, told);
    expect(judgeSessions(table, { which: 'all' })[0]?.counters.total_tokens).toBe(7);
  });

  it('is judged as it is among all of them', () => {
    let compared = 0;
    fc.assert(
      fc.property(sessions, (told) => {
        const table = tableOf(told);
        const all = judgeSessions(table, { which: 'all' });
        for (const { sessionId } of table.sessions) {
          const alone = judgeSessions(table, { which: { session: sessionId } });
          expect(alone).toEqual(all.filter(({ summary }) => summary.entry.sessionId === sessionId));
          compared += alone.filter(({ baseline }) => 'median' in baseline).length;
        }
      }),
      { numRuns: 40 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
