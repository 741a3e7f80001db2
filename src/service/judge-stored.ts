/** Verdicts on sessions of the ledger: made anew from all that is known of them, kept, and bridged to their identity. */
import { toVerdictWire } from '../core/contract/verdict.ts';
import { LIMITS } from '../core/limits.ts';
import type { StoredHead, StoredVerdict } from '../store/store.ts';
import { SessionTable } from '../telemetry/session-table.ts';
import { compareWithEarlier, type OtherSession } from './baseline.ts';
import { bridgeSession } from './bridge.ts';
import type { ServiceContext } from './context.ts';
import { type JudgeRequest, judgeAlone, NO_MASQUE, type Verdict } from './judge-sessions.ts';
import type { Judged } from './verdict.ts';

type JudgeContext = Pick<ServiceContext, 'store' | 'clock'>;

export interface JudgedSession {
  /** Of all masques that its records name. */
  heads: StoredHead[];
  verdicts: Verdict[];
}

/** Null when telemetry has told nothing of it, or nothing that is still kept. */
export async function judgeStored(
  context: JudgeContext,
  { orgId, sessionId }: { orgId: string; sessionId: string },
  request: Omit<JudgeRequest, 'which'> = {},
): Promise<JudgedSession | null> {
  const told = await context.store.sessions.read(orgId, [sessionId]);
  if (told.length === 0) return null;
  const table = new SessionTable();
  for (const { head, events } of told) table.addKept(head, events);
  const verdicts: Verdict[] = [];
  for (const judged of judgeAlone(table, request)) {
    const earlier = await earlierThan(context, orgId, judged);
    verdicts.push({ ...judged, baseline: compareWithEarlier(judged, earlier) });
  }
  return { heads: told.map(({ head }) => head), verdicts };
}

/** Judges, keeps and bridges what has changed; asked again for the same, it changes nothing. */
export async function settleSession(
  context: JudgeContext,
  place: { orgId: string; sessionId: string },
): Promise<JudgedSession | null> {
  const judged = await judgeStored(context, place);
  if (!judged) return null;
  const { store } = context;
  const known = await store.verdicts.latestOf(place.orgId, [place.sessionId]);
  const revision = Math.max(0, ...known.map((one) => one.revision)) + 1;
  const receivedAt = Math.max(...judged.heads.map((head) => head.receivedAt));
  const judgedAt = context.clock();
  const stored = judged.verdicts.map((verdict) =>
    toStoredVerdict(verdict, { revision, receivedAt, judgedAt }),
  );
  const isNews =
    stored.length !== known.length || stored.some((one) => !known.some((old) => isSame(one, old)));
  if (!isNews) return judged;
  const fed = byPart(known);
  for (const [part, verdict] of byPart(stored)) {
    const before = fed.get(part);
    if (!before || !feedsTheSame(before, verdict))
      await bridgeSession(context, place.orgId, { verdict, part });
  }
  await store.verdicts.append(place.orgId, stored);
  return judged;
}

export function toStoredVerdict(
  verdict: Verdict,
  made: Pick<StoredVerdict, 'revision' | 'receivedAt' | 'judgedAt'>,
): StoredVerdict {
  const { summary, performance, masque, kind } = verdict;
  const { entry, tools } = summary;
  return {
    sessionId: entry.sessionId,
    masque,
    agentId: entry.agent === '' ? null : entry.agent,
    entrypoint: entry.entrypoint,
    kindOfWork: kind,
    startedAt: summary.startedAt,
    endedAt: summary.endedAt,
    tools,
    composite: performance.composite,
    recommendation: performance.recommendation,
    ...made,
    details: toVerdictWire(verdict),
  };
}

/**
 * Which event each verdict is: that of the session itself for the first masque, and one of its own for each further one.
 * So a masque that is named only after a first verdict takes the place of what was said without it.
 */
function byPart(verdicts: readonly StoredVerdict[]): Map<string, StoredVerdict> {
  const inOrder = verdicts.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return new Map(inOrder.map((verdict, i) => [i === 0 ? '' : verdict.masque, verdict]));
}

/** Work under no masque comes first, then by their names. */
function orderOf({ masque }: StoredVerdict): string {
  return masque === NO_MASQUE ? '' : masque;
}

/** But for how often and when it was judged. */
function isSame(a: StoredVerdict, b: StoredVerdict): boolean {
  const told = ({ revision: _, judgedAt: _at, ...rest }: StoredVerdict) => JSON.stringify(sorted(rest));
  return told(a) === told(b);
}

function sorted(fields: object): unknown[] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether the identity would learn nothing new. */
function feedsTheSame(a: StoredVerdict, b: StoredVerdict): boolean {
  return (
    a.masque === b.masque &&
    a.composite === b.composite &&
    a.tools === b.tools &&
    a.endedAt === b.endedAt &&
    a.agentId === b.agentId
  );
}

async function earlierThan({ store }: JudgeContext, orgId: string, judged: Judged): Promise<OtherSession[]> {
  const { entry, startedAt, tools } = judged.summary;
  if (tools === 0 || entry.agent === '') return [];
  const found = await store.verdicts.list(
    orgId,
    {
      agentId: entry.agent,
      kindOfWork: judged.kind,
      entrypoint: entry.entrypoint,
      before: startedAt,
      toolsMin: 1,
    },
    LIMITS.baselineSessionsMax,
  );
  return found.map(({ sessionId, entrypoint, kindOfWork, ...other }) => ({
    sessionId,
    entrypoint,
    agent: entry.agent,
    kind: kindOfWork,
    tools: other.tools,
    startedAt: other.startedAt,
    composite: other.composite,
  }));
}
