/** Reading the evaluations of the ledger, and taking one out of its window. */

import type { evaluationQuery } from '../core/contract/evaluation.ts';
import { toPageRequest, toPageWire } from '../core/contract/fields.ts';
import { RenownError } from '../core/errors.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { toEvaluationWire } from './evaluation-wire.ts';

type Query = (typeof evaluationQuery)['_output'];

export async function listEvaluations({ store }: ServiceContext, { orgId }: Caller, query: Query) {
  const { agent_id: agentId, session_id: sessionId, verdict, tool, gate, source, from, to } = query;
  const filter = {
    ...(agentId !== undefined && { agentId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(verdict !== undefined && { passed: verdict === 'passed' }),
    ...(tool !== undefined && { tool }),
    ...(gate !== undefined && { gate }),
    ...(source !== undefined && { source }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  return toPageWire(await store.evaluations.list(orgId, filter, toPageRequest(query)), toEvaluationWire);
}

export async function readEvaluation({ store }: ServiceContext, { orgId }: Caller, evaluationId: string) {
  return toEvaluationWire((await store.evaluations.get(orgId, evaluationId)) ?? unknownEvaluation());
}

/** Leaves it visible, and makes the score what it would have been without it. */
export async function voidEvaluation(
  context: ServiceContext,
  caller: Caller,
  { evaluationId, reason }: { evaluationId: string; reason: string },
) {
  const audit = auditEntry(context, caller, {
    action: 'evaluation.void',
    target: evaluationId,
    note: reason,
  });
  const why = { at: context.clock(), reason, audit };
  const voided = await context.store.evaluations.void(caller.orgId, evaluationId, why);
  if (!voided) return unknownEvaluation();
  context.hub.changed(caller.orgId, [voided.agentId]);
  return toEvaluationWire(voided);
}

function unknownEvaluation(): never {
  throw new RenownError('not_found', 'This org has no evaluation of that id.');
}
