/** What changed about an agent and when: marks for the chart of its history. */
import { toTime } from '../core/contract/fields.ts';
import { LIMITS } from '../core/limits.ts';
import type { StoredEvaluation } from '../store/store.ts';
import { rateSince } from './alerts/change-watch.ts';
import { readDetector } from './alerts/watcher.ts';
import type { Caller, ServiceContext } from './context.ts';
import { countingEvaluations } from './counting-evaluations.ts';

const MARKED = [
  ['model', (one: StoredEvaluation) => one.model],
  ['version', (one: StoredEvaluation) => one.version],
  ['suite', (one: StoredEvaluation) => one.suiteHash],
] as const;

interface Mark {
  at: string;
  kind: 'model' | 'version' | 'suite' | 'change_detected';
  value: string;
}

/** Newest first. A mark stands where an evaluation named something else than the one before it that named anything. */
export async function readChanges(context: ServiceContext, { orgId }: Caller, agentId: string) {
  const detector = await readDetector(context, orgId, agentId);
  const change = detector?.change ?? null;
  const marks: Mark[] = [];
  const later = new Map<string, { value: string; at: number }>();
  let seen = 0;
  for await (const one of countingEvaluations(context, orgId, agentId)) {
    if (++seen > LIMITS.comparedMax || marks.length >= LIMITS.marksMax) break;
    for (const [kind, nameIn] of MARKED) {
      const value = nameIn(one);
      if (value === null) continue;
      const next = later.get(kind);
      if (next && next.value !== value) marks.push({ at: toTime(next.at), kind, value: next.value });
      later.set(kind, { value, at: one.receivedAt });
    }
  }
  if (change) {
    marks.push({
      at: toTime(change.detectedAt),
      kind: 'change_detected',
      value: `${(100 * rateSince(change)).toFixed(1)} %`,
    });
  }
  return {
    agent_id: agentId,
    baseline_pass_rate: detector?.state.baseline ?? null,
    change: change && {
      detected_at: toTime(change.detectedAt),
      since: toTime(change.sinceAt),
      evaluations_since: change.verdicts,
      rate_since: rateSince(change),
      e_value: change.alarm.eValue,
    },
    marks: marks.sort((a, b) => (a.at < b.at ? 1 : -1)),
  };
}
