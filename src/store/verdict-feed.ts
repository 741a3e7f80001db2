/** The verdicts of a feed of whole evaluations, for engines to which the rest of an evaluation costs little. */
import type { Feed, VerdictFeed } from './store.ts';

export function verdictsOf({ items, cursor }: Feed, limit: number): VerdictFeed {
  const counting = items.filter(({ evaluation }) => evaluation.counts && evaluation.voided === null);
  return {
    items: counting.map(({ cursor: place, evaluation: { agentId, passed, receivedAt } }) => ({
      cursor: place,
      agentId,
      passed,
      receivedAt,
    })),
    cursor,
    hasMore: items.length === limit,
  };
}
