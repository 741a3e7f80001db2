/** What a run found for a session, as the same kind of event that verdicts are. */
import type { StoredSessionScore } from '../../store/store.ts';
import { attributesOf, toNano } from './log-record.ts';

const LABELS = new Map([
  [true, 'pass'],
  [false, 'fail'],
  [null, 'not_enough_evidence'],
]);

export function toScoreRecord(orgId: string, one: StoredSessionScore): object {
  return {
    timeUnixNano: toNano(one.sessionAt),
    observedTimeUnixNano: toNano(one.computedAt),
    eventName: 'gen_ai.evaluation.result',
    severityNumber: one.passed === false ? 13 : 9,
    attributes: attributesOf({
      'gen_ai.evaluation.name': `renown.${one.metric}`,
      // A score from nothing is a number all the same, and would be read as one.
      'gen_ai.evaluation.score.value': one.passed === null ? null : one.score,
      'gen_ai.evaluation.score.label': LABELS.get(one.passed),
      'gen_ai.agent.id': one.agentId,
      'gen_ai.conversation.id': one.sessionId,
      'renown.org.id': orgId,
      'renown.run.id': one.runId,
      'renown.session.evidence': one.evidence,
      'renown.session.traces': one.totalTraces,
      'renown.session.flagged_traces': one.flaggedTraces,
    }),
  };
}
