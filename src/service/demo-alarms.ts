/** What the watcher would have noticed in the month of the demo, had it been there: the same detector over its verdicts. */
import { createDetector, observe } from '../core/stats/change-detector.ts';
import type { LedgerRow } from '../store/store.ts';
import { ALERT } from './alerts/alert-record.ts';
import { changeAlert } from './alerts/change-alert.ts';
import { DETECTOR, type DetectorBody } from './alerts/watcher.ts';

interface Verdict {
  agentId: string;
  passed: boolean;
  receivedAt: number;
}

/** The first change of each agent; `verdicts` are in order of arrival. */
export function* demoAlarms(orgId: string, verdicts: Iterable<Verdict>): Generator<LedgerRow> {
  const detectors = new Map<string, DetectorBody>();
  for (const { agentId, passed, receivedAt } of verdicts) {
    const known = detectors.get(agentId);
    const body = known ?? { state: createDetector(), generation: 0, cursor: '', alarm: null, alarmAt: null };
    detectors.set(agentId, body);
    const alarm = observe(body.state, passed);
    if (!alarm) continue;
    // It goes on watching against the same baseline, as the watcher does.
    body.state = createDetector(alarm.baseline);
    body.alarm ??= alarm;
    body.alarmAt ??= receivedAt;
  }
  let alerts = 0;
  for (const [id, body] of detectors) {
    const { alarm, alarmAt } = body;
    if (!alarm || alarmAt === null) continue;
    const document = (kind: string, documentId: string, content: unknown): LedgerRow => ({
      kind: 'document',
      orgId,
      row: { kind, id: documentId, version: 1, updatedAt: alarmAt, body: content },
    });
    yield document(DETECTOR, id, body);
    yield document(ALERT, `01930000-0000-7000-8000-0000000a1e${10 + alerts++}`, changeAlert(id, alarm));
  }
}
