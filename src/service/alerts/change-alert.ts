import { toTime } from '../../core/contract/fields.ts';
import type { Alert } from './alert-record.ts';
import { type Change, rateSince } from './change-watch.ts';

/** What is said of an agent that got worse. */
export function changeAlert(agentId: string, change: Change): Alert {
  return {
    kind: 'change_detected',
    subject: agentId,
    message: `${agentId} got worse: ${percent(rateSince(change))} of its last ${change.verdicts} evaluations passed, where ${percent(change.alarm.baseline)} is its baseline.`,
    data: { ...figuresOf(change), evaluations_since: change.verdicts },
  };
}

/** The same of a monitor, by one metric. */
export function monitorAlert(
  monitorId: string,
  { metric, change }: { metric: string; change: Change },
): Alert {
  return {
    kind: 'change_detected',
    subject: monitorId,
    message: `The sessions of the monitor ${monitorId} got worse: ${percent(rateSince(change))} of the last ${change.verdicts} passed by ${metric}, where ${percent(change.alarm.baseline)} is the baseline.`,
    data: { metric, ...figuresOf(change), sessions_since: change.verdicts },
  };
}

function figuresOf(change: Change) {
  const { alarm, sinceAt } = change;
  return {
    since: toTime(sinceAt),
    baseline: alarm.baseline,
    rate_since: rateSince(change),
    e_value: alarm.eValue,
  };
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(1)} %`;
}
