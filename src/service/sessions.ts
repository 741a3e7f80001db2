/** Sessions for reading, whatever made them known: telemetry that was judged, traces that were scored, or both. */
import { toPageRequest, toPageWire, toTime, toTimeOrNull } from '../core/contract/fields.ts';
import type { JudgeQuestion, SessionAnswer } from '../core/contract/session.ts';
import type { AggregateQuery } from '../core/contract/session-score.ts';
import { toVerdictWire } from '../core/contract/verdict.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { selectMedian } from '../core/stats/select.ts';
import type { StoredVerdict } from '../store/store.ts';
import { rowsBySession, toolResults } from '../telemetry/session-summary.ts';
import { SessionTable } from '../telemetry/session-table.ts';
import type { Caller, ServiceContext } from './context.ts';
import type { JudgeRequest } from './judge-sessions.ts';
import { type JudgedSession, judgeStored, servedVerdict, settleSession } from './judge-stored.ts';
import { type Pages, scoresInBrief, worstSessions } from './session-scores.ts';

type SessionContext = Pick<ServiceContext, 'store' | 'clock'>;

const ABOUT_SCORES = ['metric', 'run_id', 'tag', 'passed', 'evidence'] as const;

/** The latest first; with a condition on scores those that have one, worst first. */
export async function listSessions(context: SessionContext, caller: Caller, query: AggregateQuery & Pages) {
  const { store } = context;
  if (ABOUT_SCORES.some((condition) => query[condition] !== undefined)) {
    const page = await worstSessions(context, caller, query);
    const performances = await performancesOf(context, caller, page.items);
    return toPageWire(page, (item) => ({ ...item, performance: performances(item.session_id) }));
  }
  const filter = {
    ...(query.agent_id !== undefined && { agentId: query.agent_id }),
    ...(query.from !== undefined && { from: query.from }),
    ...(query.to !== undefined && { to: query.to }),
  };
  const page = await store.sessions.list(caller.orgId, filter, toPageRequest(query));
  const ids = page.items.map(({ sessionId }) => sessionId);
  const [traces, scores, performances] = await Promise.all([
    store.signals.read(caller.orgId, ids),
    store.sessionScores.latestOf(caller.orgId, ids),
    performancesOf(
      context,
      caller,
      ids.map((session_id) => ({ session_id })),
    ),
  ]);
  return toPageWire(page, ({ sessionId, agentId, lastAt }) => ({
    session_id: sessionId,
    agent_id: agentId,
    tags: traces.get(sessionId)?.tags ?? [],
    last_at: toTime(Math.floor(lastAt)),
    traces: traces.get(sessionId)?.traces.length ?? 0,
    ...scoresInBrief(scores.filter((score) => score.sessionId === sessionId)),
    performance: performances(sessionId),
  }));
}

/** As it stands now, whether it is over or not. */
export async function readSession(
  context: SessionContext,
  caller: Caller,
  sessionId: string,
): Promise<SessionAnswer> {
  return toAnswer(context, caller, {
    sessionId,
    judged: await judgeStored(context, { ...caller, sessionId }),
  });
}

/**
 * Judges it now, keeps the verdict and lets its identity know. A question that cuts the session, or says what was worn, is
 * answered and changes nothing: it is one look of many.
 */
export async function judgeSession(
  context: SessionContext,
  caller: Caller,
  { sessionId, ...question }: JudgeQuestion & { sessionId: string },
): Promise<SessionAnswer> {
  const place = { orgId: caller.orgId, sessionId };
  const isPlain = Object.values(question).every((value) => value === undefined);
  const judged = isPlain
    ? await settleSession(context, place)
    : await judgeStored(context, place, toRequest(question));
  return toAnswer(context, caller, { sessionId, judged });
}

/** The results of tool calls in order, the last so many; none for a session that telemetry did not tell of. */
export async function readToolResults({ store }: SessionContext, { orgId }: Caller, sessionId: string) {
  const told = await store.sessions.read(orgId, [sessionId]);
  const table = new SessionTable();
  for (const { head, events } of told) table.addKept(head, events);
  const results = rowsBySession(table).flatMap((rows) => toolResults(table, rows));
  const ordered = results.sort((a, b) => a.at - b.at).slice(-LIMITS.toolResultsMax);
  return {
    session_id: sessionId,
    total: results.length,
    items: ordered.map(({ at, tool, ok, durationMs }) => ({
      at: toTime(Math.floor(at)),
      tool,
      ok,
      duration_ms: Number.isNaN(durationMs) ? null : durationMs,
    })),
  };
}

/** What an agent's sessions come to; null where none was judged that called a tool. */
export async function readPerformance({ store }: SessionContext, { orgId }: Caller, agentId: string) {
  const verdicts = await store.verdicts.list(orgId, { agentId, toolsMin: 1 }, LIMITS.cardSessionsMax);
  const [latest] = verdicts;
  if (!latest) return null;
  const counted = (recommendation: string) =>
    verdicts.filter((verdict) => verdict.recommendation === recommendation).length;
  return {
    sessions: verdicts.length,
    composite: selectMedian(Float64Array.from(verdicts, ({ composite }) => composite)),
    keep: counted('keep'),
    review: counted('review'),
    doff: counted('doff'),
    latest: { session_id: latest.sessionId, ...toPerformanceBrief([latest]) },
  };
}

async function toAnswer(
  { store }: SessionContext,
  { orgId }: Caller,
  { sessionId, judged }: { sessionId: string; judged: JudgedSession | null },
): Promise<SessionAnswer> {
  const [stored, scores, reported] = await Promise.all([
    store.verdicts.latestOf(orgId, [sessionId]),
    store.sessionScores.latestOf(orgId, [sessionId]),
    store.signals.read(orgId, [sessionId]),
  ]);
  const traces = reported.get(sessionId);
  if (!judged && stored.length === 0 && !traces && scores.length === 0) {
    throw new RenownError('not_found', 'Nobody has told of a session of that id.');
  }
  const owner = judged?.heads.find(({ agent }) => agent !== '')?.agent ?? stored[0]?.agentId;
  const times = [
    ...(judged?.heads.map(({ lastAt }) => lastAt) ?? []),
    ...stored.map(({ endedAt }) => endedAt),
    ...scores.map(({ sessionAt }) => sessionAt),
    ...(traces ? [traces.lastAt] : []),
  ];
  return {
    session_id: sessionId,
    agent_id: owner ?? traces?.agentId ?? scores[0]?.agentId ?? null,
    tags: traces?.tags ?? [],
    last_at: toTime(Math.floor(Math.max(...times))),
    state: stateOf(judged, stored),
    judged_at: toTimeOrNull(stored[0]?.judgedAt ?? null),
    // What telemetry no longer tells, the last verdict still does.
    verdicts: (judged
      ? judged.verdicts.map(toVerdictWire)
      : stored.map(servedVerdict)) as SessionAnswer['verdicts'],
    traces: traces?.traces.length ?? 0,
    ...scoresInBrief(scores),
  };
}

function stateOf(judged: JudgedSession | null, stored: readonly StoredVerdict[]): SessionAnswer['state'] {
  if (!judged) return stored.length === 0 ? 'unknown' : 'judged';
  const receivedAt = Math.max(...judged.heads.map((head) => head.receivedAt));
  return stored.some((verdict) => verdict.receivedAt >= receivedAt) ? 'judged' : 'open';
}

async function performancesOf(
  { store }: SessionContext,
  { orgId }: Caller,
  items: readonly { session_id: string }[],
) {
  const ids = items.map(({ session_id }) => session_id);
  const verdicts = await store.verdicts.latestOf(orgId, ids);
  return (sessionId: string) => {
    const own = verdicts.filter((verdict) => verdict.sessionId === sessionId);
    return own.length === 0 ? null : toPerformanceBrief(own);
  };
}

/** Of several masques the one that was worn last. */
function toPerformanceBrief(verdicts: readonly StoredVerdict[]) {
  const last = verdicts.at(-1) as StoredVerdict;
  return {
    composite: last.composite,
    recommendation: last.recommendation,
    masque: last.masque,
    kind_of_work: last.kindOfWork,
    tools: last.tools,
    judged_at: toTime(last.judgedAt),
  };
}

function toRequest({ masque, from, to, masque_session: worn }: JudgeQuestion): Omit<JudgeRequest, 'which'> {
  const { active, previous } = worn ?? {};
  const isCut = from !== undefined || to !== undefined;
  return {
    masque,
    ...(isCut && { window: { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY } }),
    ...(worn && {
      masqueSession: {
        active: active && { name: active.name, donnedAt: active.donned_at ?? null },
        previous: previous && { name: previous.name, doffedAt: previous.doffed_at ?? null },
      },
    }),
  };
}
