import type { ChangeAlarm } from '../../core/stats/change-detector.ts';
import type { Alert } from './alert-record.ts';

/** What is said of an agent that got worse. */
export function changeAlert(agentId: string, alarm: ChangeAlarm): Alert {
  const percent = (rate: number) => `${(100 * rate).toFixed(1)} %`;
  const ago = alarm.at - alarm.since + 1;
  return {
    kind: 'change_detected',
    subject: agentId,
    message: `${agentId} got worse: ${percent(alarm.rateSince)} of its last ${ago} evaluations passed, where ${percent(alarm.baseline)} is its baseline.`,
    data: {
      baseline: alarm.baseline,
      rate_since: alarm.rateSince,
      evaluations_since: ago,
      e_value: alarm.eValue,
    },
  };
}
