/** Why a score moved between two moments, from the evaluations that came and went. */
import { toChangesWire } from '../core/contract/explain.ts';
import { toTime } from '../core/contract/fields.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { explainChanges, type NamedEvaluation } from '../core/reputation-changes.ts';
import type { StoredEvaluation } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { countingEvaluations } from './counting-evaluations.ts';

const SPAN_MS = 24 * 60 * 60_000;

/** What was voided since is out of the past as well, as it is in the history. */
export async function explain(
  context: ServiceContext,
  { orgId }: Caller,
  {
    agentId,
    until = context.clock(),
    since = until - SPAN_MS,
  }: { agentId: string; since?: number | undefined; until?: number | undefined },
) {
  if (since > until) throw new RenownError('invalid_request', 'since must not be after until.');
  const arrived: NamedEvaluation[] = [];
  const window: NamedEvaluation[] = [];
  for await (const one of countingEvaluations(context, orgId, agentId)) {
    if (one.receivedAt > until) continue;
    if (one.receivedAt > since) {
      if (arrived.push(toNamed(one)) > LIMITS.explainedMax) throw tooMany();
    } else if (window.push(toNamed(one)) === LIMITS.windowSize) break;
  }
  const changes = explainChanges(window.reverse(), arrived.reverse());
  return { agent_id: agentId, since: toTime(since), until: toTime(until), ...toChangesWire(changes) };
}

function toNamed({ evaluationId, passed, totalLatencyMs }: StoredEvaluation): NamedEvaluation {
  return { evaluationId, passed, latencyMs: totalLatencyMs };
}

function tooMany(): RenownError {
  return new RenownError(
    'invalid_request',
    `More than ${LIMITS.explainedMax} evaluations arrived since then. Choose a later \`since\`.`,
  );
}
