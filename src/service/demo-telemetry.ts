/** What telemetry would have told of the demo's sessions: an hour of prompts, tools and model calls, judged and bridged. */

import { identityIdOf } from '../core/ids.ts';
import { emptyHead } from '../core/session-head.ts';
import type { EventReport, LedgerRow, StoredHead, StoredVerdict } from '../store/store.ts';
import { EVENT_KINDS, type EventKind } from '../telemetry/session-event.ts';
import { SessionTable } from '../telemetry/session-table.ts';
import { compareWithEarlier, type OtherSession, toOtherSession } from './baseline.ts';
import { toReputationEvent } from './bridge.ts';
import { judgeAlone } from './judge-sessions.ts';
import { toStoredVerdict } from './judge-stored.ts';

const MINUTE_MS = 60_000;
const PROMPTS = 4;
const TOOLS_PER_PROMPT = 7;

interface Session {
  sessionId: string;
  agentId: string;
  tools: readonly string[];
  failing: number;
  startedAt: number;
  draw: () => number;
}

/** `earlier` gathers what later sessions are compared with. */
export function* demoTelemetry(
  orgId: string,
  session: Session,
  earlier: OtherSession[],
): Generator<LedgerRow> {
  const { sessionId, agentId, startedAt } = session;
  const events = eventsOf(session);
  const lastAt = Math.max(...events.map(({ at }) => at));
  const head: StoredHead = {
    ...emptyHead(sessionId, ''),
    agent: agentId,
    agentRank: 3,
    dialects: ['claude-code'],
    entrypoint: 'cli',
    firstAt: startedAt,
    lastAt,
    detailed: true,
    receivedAt: lastAt,
  };
  yield { kind: 'session_head', orgId, row: head };
  for (const event of events)
    yield { kind: 'session_event', orgId, row: { sessionId, masque: '', ...event } };
  const table = new SessionTable();
  table.addKept(head, events);
  for (const judged of judgeAlone(table, {})) {
    const verdict = { ...judged, baseline: compareWithEarlier(judged, earlier) };
    const row: StoredVerdict = toStoredVerdict(verdict, {
      revision: 1,
      receivedAt: lastAt,
      judgedAt: lastAt + 30 * MINUTE_MS,
    });
    earlier.unshift(toOtherSession(judged));
    yield { kind: 'session_verdict', orgId, row };
    const ids = { orgId, identityId: identityIdOf(orgId, agentId), part: '' };
    yield { kind: 'reputation_event', orgId, row: toReputationEvent(row, ids) };
  }
}

function eventsOf({ tools, failing, startedAt, draw }: Session): EventReport[] {
  const events: EventReport[] = [];
  const add = (kind: EventKind, given: Partial<EventReport>) => {
    const empty = { outcome: 0, source: 0, name: '', amount: null, cost: null, tokens: null };
    const at = Math.round(
      startedAt + (events.length * 60 * MINUTE_MS) / (PROMPTS * (2 * TOOLS_PER_PROMPT + 1)),
    );
    events.push({ fingerprint: events.length + 1, kind: EVENT_KINDS.indexOf(kind), ...empty, at, ...given });
  };
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    add('prompt', {});
    for (let i = 0; i < TOOLS_PER_PROMPT; i++) {
      add('model', {
        name: 'claude-sonnet-4-5',
        cost: Math.round(1e4 * (0.004 + 0.01 * draw())) / 1e4,
        tokens: [200, Math.round(80 + 400 * draw()), Math.round(9_000 * draw()), 600],
      });
      const isBad = draw() < failing;
      add('tool', {
        name: tools[Math.floor(draw() * tools.length)] ?? 'bash',
        outcome: isBad ? 2 : 1,
        amount: Math.round(40 + 900 * draw()),
      });
    }
  }
  return events;
}
