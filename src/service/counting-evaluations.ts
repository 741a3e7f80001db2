import { LIMITS } from '../core/limits.ts';
import type { StoredEvaluation } from '../store/store.ts';
import type { ServiceContext } from './context.ts';

const PAGE = 1_000;

/** Those evaluations of an agent that count, newest first, for as long as somebody wants more of them. */
export async function* countingEvaluations(
  { store }: Pick<ServiceContext, 'store'>,
  orgId: string,
  agentId: string,
): AsyncGenerator<StoredEvaluation> {
  for await (const one of evaluationsOf({ store }, orgId, agentId)) {
    if (one.counts && one.voided === null) yield one;
  }
}

/** The window as it stands, oldest first. */
export async function readWindow(
  context: Pick<ServiceContext, 'store'>,
  orgId: string,
  agentId: string,
): Promise<StoredEvaluation[]> {
  const window: StoredEvaluation[] = [];
  for await (const one of countingEvaluations(context, orgId, agentId)) {
    if (window.push(one) === LIMITS.windowSize) break;
  }
  return window.reverse();
}

/** All of an agent, newest first. */
export async function* evaluationsOf(
  { store }: Pick<ServiceContext, 'store'>,
  orgId: string,
  agentId: string,
): AsyncGenerator<StoredEvaluation> {
  let cursor: string | null = null;
  do {
    const page: { items: StoredEvaluation[]; nextCursor: string | null } = await store.evaluations.list(
      orgId,
      { agentId },
      { cursor, limit: PAGE },
    );
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
