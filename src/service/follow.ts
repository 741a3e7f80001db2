/**
 * What happens in an org, as it happens: each evaluation with its place in the ledger, and each score that has changed.
 * It reads the ledger from a place on, so that a reader who was away misses nothing, and the hub only says when to look.
 */
import { toReputationSummary } from '../core/contract/reputation.ts';
import { LIMITS } from '../core/limits.ts';
import type { Caller, ServiceContext } from './context.ts';
import { toEvaluationWire } from './evaluation-wire.ts';

export type Happening =
  /** Where the following begins. */
  | { kind: 'ready'; cursor: string }
  | { kind: 'evaluation'; cursor: string; data: object }
  | { kind: 'score'; data: object }
  /** Nothing has happened for a while. */
  | { kind: 'idle' };

/** Other nodes write without telling this one's hub. */
const LOOK_EVERY_MS = 2_000;
/** What arrives in between goes out together. */
const GATHER_MS = 100;
/** Scores that are remembered in order to tell a change. */
const SCORES_MAX = 10_000;

export async function* follow(
  context: ServiceContext,
  { orgId }: Caller,
  { after, gone }: { after: string | undefined; gone: AbortSignal },
): AsyncGenerator<Happening> {
  const { evaluations } = context.store;
  let cursor = after ?? (await evaluations.head(orgId));
  yield { kind: 'ready', cursor };
  const bell = createBell(gone);
  const touched = new Set<string>();
  const scores = new Map<string, number>();
  const unwatch = context.hub.watch(orgId, (agentIds) => {
    for (const agentId of agentIds) if (touched.size < SCORES_MAX) touched.add(agentId);
    bell.ring();
  });
  try {
    while (!gone.aborted) {
      const feed = await evaluations.since(orgId, cursor, LIMITS.streamPageMax);
      cursor = feed.cursor;
      for (const { cursor: place, evaluation } of feed.items) {
        touched.add(evaluation.agentId);
        yield { kind: 'evaluation', cursor: place, data: toEvaluationWire(evaluation) };
      }
      yield* changedScores(context, orgId, { touched, scores });
      if (feed.items.length === 0) yield { kind: 'idle' };
      if (feed.items.length < LIMITS.streamPageMax) await bell.wait();
    }
  } finally {
    unwatch();
  }
}

async function* changedScores(
  { store }: ServiceContext,
  orgId: string,
  { touched, scores }: { touched: Set<string>; scores: Map<string, number> },
): AsyncGenerator<Happening> {
  const agentIds = [...touched];
  touched.clear();
  for (const agentId of agentIds) {
    const reputation = await store.evaluations.reputation(orgId, agentId);
    if (scores.get(agentId) === reputation.score) continue;
    if (scores.size >= SCORES_MAX) scores.clear();
    scores.set(agentId, reputation.score);
    yield { kind: 'score', data: { agent_id: agentId, ...toReputationSummary(reputation) } };
  }
}

/** Waits until it is rung, a while has passed, or nobody listens any more. */
function createBell(gone: AbortSignal) {
  let rung = false;
  let wake = () => {};
  gone.addEventListener('abort', () => wake(), { once: true });
  return {
    ring() {
      rung = true;
      wake();
    },
    async wait() {
      if (!rung && !gone.aborted) await pause(LOOK_EVERY_MS);
      if (!gone.aborted) await pause(GATHER_MS, false);
      rung = false;
    },
  };

  function pause(ms: number, canWake = true): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        if (!canWake && !gone.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
