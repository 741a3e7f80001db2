/** Verdicts on sessions of the ledger: made anew from all that is known of them, kept, and bridged to their identity. */
import { toVerdictWire } from '../core/contract/verdict.ts';
import { LIMITS } from '../core/limits.ts';
import type { StoredHead, StoredVerdict } from '../store/store.ts';
import { SessionTable } from '../telemetry/session-table.ts';
import { compareWithEarlier, type OtherSession } from './baseline.ts';
import { bridgeSession } from './bridge.ts';
import type { ServiceContext } from './context.ts';
import { type JudgeRequest, judgeAlone, type Verdict } from './judge-sessions.ts';
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

/** How often it is looked again whether something came meanwhile. */
const LOOKS = 3;

/**
 * Judges, keeps and bridges what has changed; asked again for the same, it changes nothing. Another node may have settled
 * more than this one had read, and be overtaken: so whoever wrote something looks whether it was all.
 */
export async function settleSession(
  context: JudgeContext,
  place: { orgId: string; sessionId: string },
  looks = LOOKS,
): Promise<JudgedSession | null> {
  const judged = await judgeStored(context, place);
  if (!judged) return null;
  const { store } = context;
  const known = await store.verdicts.latestOf(place.orgId, [place.sessionId]);
  const revision = Math.max(0, ...known.map((one) => one.revision)) + 1;
  const receivedAt = Math.max(...judged.heads.map((head) => head.receivedAt));
  const judgedAt = context.clock();
  const stored: StoredVerdict[] = [];
  for (const verdict of judged.verdicts) {
    const made = toStoredVerdict(verdict, { revision, receivedAt, judgedAt });
    const identityId = await identityFedBy(context, place.orgId, { verdict: made, known });
    stored.push({ ...made, details: { ...(made.details as object), identity_id: identityId } });
  }
  const isNews =
    stored.length !== known.length || stored.some((one) => !known.some((old) => isSame(one, old)));
  if (!isNews) return judged;
  for (const [i, verdict] of stored.entries()) {
    const before = known.find((old) => old.masque === verdict.masque);
    const part = partOf(judged.verdicts[i] as Verdict, judged.heads);
    if (!before || !feedsTheSame(before, verdict))
      await bridgeSession(context, place.orgId, { verdict, part, identityId: identityIn(verdict) });
  }
  await store.verdicts.append(place.orgId, stored);
  const told = await store.sessions.read(place.orgId, [place.sessionId]);
  const isAll = told.every(({ head }) => head.receivedAt <= receivedAt);
  return isAll || looks <= 1 ? judged : settleSession(context, place, looks - 1);
}

/** A stored verdict as it is served, without what only the next judging needs. */
export function servedVerdict({ details }: StoredVerdict): unknown {
  const { identity_id: _, ...served } = details as Record<string, unknown>;
  return served;
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
 * Which event of the session a verdict is: that of the session itself where it has the work that names no masque, else one of
 * its own. So a masque that is named only after a first verdict takes the place of what was said without it.
 */
function partOf({ summary }: Verdict, heads: readonly StoredHead[]): string {
  const named = heads.filter(({ masque }) => masque !== '');
  const isJoined = named.length === 1 && heads.length > 1;
  return isJoined ? '' : summary.entry.masque;
}

/** The identity that its agent had when the session first fed one: an agent that changes it later moves no past events. */
async function identityFedBy(
  { store }: JudgeContext,
  orgId: string,
  { verdict, known }: { verdict: StoredVerdict; known: readonly StoredVerdict[] },
): Promise<string | null> {
  const { agentId, tools } = verdict;
  if (agentId === null || tools === 0) return null;
  const earlier = known.find((old) => old.agentId === agentId && identityIn(old) !== null);
  return earlier ? identityIn(earlier) : ((await store.agents.get(orgId, agentId))?.identityId ?? null);
}

function identityIn({ details }: StoredVerdict): string | null {
  return (details as { identity_id?: string | null }).identity_id ?? null;
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
