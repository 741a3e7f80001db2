/**
 * A month in the life of five agents, for a newcomer to look at: one good, one bad, one that recovers, one that slips and
 * one that is new. The same seed and the same moment give the same month.
 */
import { identityIdOf, uuidV5 } from '../core/ids.ts';
import { createRandom } from '../core/stats/random.ts';
import type { GateVerdict, LedgerRow, Store } from '../store/store.ts';
import { demoAlarms } from './demo-alarms.ts';
import { demoSessions } from './demo-sessions.ts';

const SEED = 20_261_115;
const DAY_MS = 86_400_000;
const DAYS = 30;
const NAMESPACE = '6f1c2f0e-6d0b-4a37-8f55-2f5f3f0f7d10';

interface Character {
  agentId: string;
  displayName: string;
  isPublic: boolean;
  perDay: number;
  /** The share of outputs that fail, from 0 at the start of the month to 1 at its end. */
  failing(progress: number): number;
  tools: readonly string[];
  model: string;
  /** How long the agent takes, roughly. */
  latencyMs: number;
  /** A new version from some point of the month on. */
  newVersionFrom?: number;
  /** Works only on the last so many days. */
  lastDays?: number;
}

const CHARACTERS: readonly Character[] = [
  {
    agentId: 'code-reviewer',
    displayName: 'Code reviewer',
    isPublic: true,
    perDay: 40,
    failing: () => 0.012,
    tools: ['read_file', 'search', 'comment'],
    model: 'sonnet',
    latencyMs: 2_400,
  },
  {
    agentId: 'shell-runner',
    displayName: 'Shell runner',
    isPublic: false,
    perDay: 22,
    failing: () => 0.34,
    tools: ['bash', 'write_file'],
    model: 'small-local',
    latencyMs: 900,
  },
  {
    agentId: 'support-bot',
    displayName: 'Support',
    isPublic: true,
    perDay: 30,
    failing: (progress) => 0.4 * (1 - progress) ** 2 + 0.01,
    tools: ['lookup_order', 'send_reply'],
    model: 'haiku',
    latencyMs: 1_300,
  },
  {
    agentId: 'claude-desktop/filesystem',
    displayName: 'Desktop files',
    isPublic: false,
    perDay: 26,
    failing: (progress) => (progress > 0.75 ? 0.22 : 0.03),
    newVersionFrom: 0.75,
    tools: ['read_file', 'write_file', 'move_file'],
    model: 'sonnet',
    latencyMs: 600,
  },
  {
    agentId: 'invoice-drafter',
    displayName: 'Invoice drafter',
    isPublic: true,
    perDay: 9,
    failing: () => 0.05,
    tools: ['draft_invoice'],
    model: 'haiku',
    latencyMs: 3_100,
    lastDays: 2,
  },
];

/** Which gate fails, and what it says. */
const FAILURES = [
  { name: 'filesystem', reason: 'A recursive delete outside of the working folder.' },
  { name: 'pii', reason: 'An e-mail address in the output.' },
  { name: 'secrets', reason: 'A key of a cloud vendor in the output.' },
  { name: 'content', reason: 'The output is empty.' },
] as const;

const GATES = ['filesystem', 'pii', 'secrets', 'content', 'injection'] as const;

/** False when the org has agents already: a demo never mixes with what is real. */
export async function fillDemo(store: Store, orgId: string, now: number): Promise<boolean> {
  const { items } = await store.agents.list(orgId, { limit: 1 });
  if (items.length > 0) return false;
  await store.upkeep.restore(demoRows(orgId, now));
  return true;
}

export async function* demoRows(orgId: string, now: number): AsyncGenerator<LedgerRow> {
  const random = createRandom(SEED);
  const start = now - DAYS * DAY_MS;
  for (const { agentId, displayName, isPublic, lastDays = DAYS } of CHARACTERS) {
    const row = {
      agentId,
      identityId: identityIdOf(orgId, agentId),
      displayName,
      isPublic,
      createdAt: now - lastDays * DAY_MS,
      prunedEvaluations: 0,
    };
    yield { kind: 'agent', orgId, row };
  }
  const evaluations = CHARACTERS.flatMap((character) => monthOf(character, orgId, { start, random }));
  yield* evaluations.sort((a, b) => a.row.receivedAt - b.row.receivedAt);
  yield* demoAlarms(
    orgId,
    evaluations.map(({ row }) => row),
  );
  for (const [i, character] of CHARACTERS.entries()) yield* eventsOf(character, orgId, { start, random, i });
  yield* demoSessions(orgId, { characters: CHARACTERS, start, days: DAYS, random });
}

type EvaluationRow = Extract<LedgerRow, { kind: 'evaluation' }>;

interface Month {
  start: number;
  random: () => number;
}

function monthOf(character: Character, orgId: string, { start, random }: Month): EvaluationRow[] {
  const { agentId, perDay, lastDays = DAYS } = character;
  const rows: EvaluationRow[] = [];
  for (let day = DAYS - lastDays; day < DAYS; day++) {
    const count = Math.round(perDay * (0.7 + 0.6 * random()));
    for (let i = 0; i < count; i++) {
      // Most of the work falls into the middle of the day.
      const hour = 8 + 10 * ((random() + random()) / 2);
      const at = Math.min(start + day * DAY_MS + hour * 3_600_000, start + DAYS * DAY_MS);
      const evaluationId = uuidV5(NAMESPACE, `${agentId}\n${day}\n${i}`);
      rows.push({
        kind: 'evaluation',
        orgId,
        row: evaluationOf(character, { evaluationId, at, day, random }),
      });
    }
  }
  return rows;
}

function evaluationOf(
  { agentId, failing, tools, model, latencyMs, newVersionFrom = 1 }: Character,
  { evaluationId, at, day, random }: { evaluationId: string; at: number; day: number; random: () => number },
): EvaluationRow['row'] {
  const passed = random() >= failing(day / DAYS);
  const failure = passed ? undefined : FAILURES[Math.floor(random() * FAILURES.length)];
  const gates = gatesOf(failure, random);
  const receivedAt = Math.round(at);
  return {
    evaluationId,
    agentId,
    tool: tools[Math.floor(random() * tools.length)] ?? null,
    passed,
    counts: true,
    gates,
    totalLatencyMs: round(gates.reduce((sum, gate) => sum + gate.latencyMs, 0.02)),
    latencyMs: Math.round(latencyMs * (0.5 + random())),
    source: agentId.includes('/') ? 'proxy' : 'sdk',
    knownAs: 'reported',
    direction: null,
    suiteHash: 'demo',
    sampleRate: 1,
    model,
    version: day / DAYS > newVersionFrom ? '2' : '1',
    sessionId: `${agentId}-day-${day}`,
    traceId: null,
    tags: ['demo'],
    occurredAt: receivedAt,
    receivedAt,
    voided: null,
  };
}

/** Fail-fast: what comes after the gate that failed was not run. */
function gatesOf(failure: (typeof FAILURES)[number] | undefined, random: () => number): GateVerdict[] {
  const failedAt = failure ? GATES.indexOf(failure.name) : GATES.length;
  return GATES.map((name, i) => ({
    name,
    outcome: i < failedAt ? 'passed' : i === failedAt ? 'failed' : 'aborted',
    latencyMs: i <= failedAt ? round(0.02 + 0.3 * random()) : 0,
    reason: i === failedAt ? (failure?.reason ?? null) : null,
  }));
}

const EVENTS = [
  { category: 'task_quality', good: 'task_completed', bad: 'task_failed' },
  { category: 'economic', good: 'payment_completed', bad: 'payment_failed' },
  { category: 'identity_hygiene', good: 'key_rotated', bad: 'session_expired' },
] as const;

function* eventsOf(
  { agentId, failing, lastDays = DAYS }: Character,
  orgId: string,
  { start, random, i }: Month & { i: number },
): Generator<LedgerRow> {
  for (let day = DAYS - lastDays; day < DAYS; day++) {
    const { category, good, bad } = EVENTS[(day + i) % EVENTS.length] ?? EVENTS[0];
    const isGood = random() >= failing(day / DAYS);
    const row = {
      eventId: uuidV5(NAMESPACE, `event\n${agentId}\n${day}`),
      identityId: identityIdOf(orgId, agentId),
      timestamp: Math.round(start + (day + 0.7) * DAY_MS),
      category,
      eventType: isGood ? good : bad,
      scoreDelta: round((isGood ? 1 : -1) * (0.2 + 0.8 * random())),
      confidence: 1,
      referenceType: '' as const,
      referenceId: '',
      attributes: { source: 'demo' },
      revision: 0,
    };
    yield { kind: 'reputation_event', orgId, row };
  }
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
