import { toTime } from '../../core/contract/fields.ts';
import type { Alert } from './alert-record.ts';
import { type Change, rateSince } from './change-watch.ts';

/** What is said of an agent that got worse. */
export function changeAlert(agentId: string, change: Change): Alert {
  const { alarm, verdicts, sinceAt } = change;
  const rate = rateSince(change);
  return {
    kind: 'change_detected',
    subject: agentId,
    message: `${agentId} got worse: ${percent(rate)} of its last ${verdicts} evaluations passed, where ${percent(alarm.baseline)} is its baseline.`,
    data: {
      since: toTime(sinceAt),
      baseline: alarm.baseline,
      rate_since: rate,
      evaluations_since: verdicts,
      e_value: alarm.eValue,
    },
  };
}

/** The same of a monitor, by one metric. */
export function monitorAlert(
  monitorId: string,
  { metric, change }: { metric: string; change: Change },
): Alert {
  const { alarm, verdicts, sinceAt } = change;
  const rate = rateSince(change);
  return {
    kind: 'change_detected',
    subject: monitorId,
    message: `The sessions of the monitor ${monitorId} got worse: ${percent(rate)} of the last ${verdicts} passed by ${metric}, where ${percent(alarm.baseline)} is the baseline.`,
    data: {
      metric,
      since: toTime(sinceAt),
      baseline: alarm.baseline,
      rate_since: rate,
      sessions_since: verdicts,
      e_value: alarm.eValue,
    },
  };
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(1)} %`;
}
