/** The sessions of the demo: a day's work of each agent with the signals of its turns, and one run that scored them all. */
import { createRandom } from '../core/stats/random.ts';
import type { LedgerRow, SessionTrace } from '../store/store.ts';
import type { OtherSession } from './baseline.ts';
import { demoTelemetry } from './demo-telemetry.ts';
import { RUN, type RunBody } from './run-document.ts';
import { toRunPlan } from './run-plan.ts';
import { scoreSession } from './score-session.ts';

interface Character {
  agentId: string;
  failing(progress: number): number;
  tools: readonly string[];
  lastDays?: number;
}

interface Month {
  characters: readonly Character[];
  start: number;
  days: number;
  random: () => number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TURNS = 8;
const TELEMETRY_SEED = 4_318;
const RUN_ID = '01930000-0000-7000-8000-00000000de30';

export function* demoSessions(
  orgId: string,
  { characters, start, days, random }: Month,
): Generator<LedgerRow> {
  const plan = toRunPlan({ filter: {} });
  const at = start + days * DAY_MS;
  // Drawn apart from the rest, so that the month stays as it was before there were sessions in it.
  const draw = createRandom(Math.floor(random() * 2 ** 32));
  const scores: LedgerRow[] = [];
  const telemetry: LedgerRow[] = [];
  const earlier: OtherSession[] = [];
  const drawTold = createRandom(TELEMETRY_SEED);
  let sessions = 0;
  for (const { agentId, failing, tools, lastDays = days } of characters) {
    for (let day = days - lastDays; day < days; day++) {
      const sessionId = `${agentId}-day-${day}`;
      const startedAt = start + day * DAY_MS + 9 * HOUR_MS;
      const traces = turnsOf(failing(day / days), startedAt, draw);
      for (const { sources: _, receivedAt, ...trace } of traces) {
        const row = { ...trace, sessionId, agentId, source: 'demo', receivedAt };
        yield { kind: 'signal_report', orgId, row };
      }
      const lastAt = traces.at(-1)?.startedAt ?? startedAt;
      const session = { sessionId, agentId, tags: ['demo'], revision: traces.length, lastAt, traces };
      sessions++;
      const told = { sessionId, agentId, tools, failing: failing(day / days), startedAt, draw: drawTold };
      telemetry.push(...demoTelemetry(orgId, told, earlier));
      for (const row of scoreSession(session, { sessionId, runId: RUN_ID, plan, at })) {
        scores.push({ kind: 'session_score', orgId, row });
      }
    }
  }
  yield* scores;
  yield* telemetry;
  const progress = {
    selected: sessions,
    evaluated: sessions,
    unchanged: 0,
    failed: 0,
    traces: sessions * TURNS,
  };
  const body: RunBody = {
    state: 'completed',
    plan,
    monitorId: null,
    tick: null,
    progress,
    failures: [],
    error: null,
    createdAt: at,
    startedAt: at,
    finishedAt: at,
    lease: null,
  };
  yield { kind: 'document', orgId, row: { kind: RUN, id: RUN_ID, version: 1, updatedAt: at, body } };
}

/** The more an agent fails, the more of its turns go wrong, and the worse. */
function turnsOf(failing: number, startedAt: number, draw: () => number): SessionTrace[] {
  return Array.from({ length: TURNS }, (_, i) => {
    const isBad = draw() < failing;
    const signal = () => Math.round((isBad ? 0.1 + 0.5 * draw() : 0.82 + 0.18 * draw()) * 1_000) / 1_000;
    const at = startedAt + i * 12 * 60_000;
    return {
      traceId: `turn-${i + 1}`,
      signals: {
        confidence: signal(),
        loop_detection: signal(),
        tool_correctness: signal(),
        coherence: signal(),
      },
      sources: {},
      startedAt: at,
      tags: ['demo'],
      receivedAt: at,
    };
  });
}
