/** What the watcher would have noticed in the month of the demo, had it been there: the same detector over its verdicts. */
import { createDetector } from '../core/stats/change-detector.ts';
import type { LedgerRow } from '../store/store.ts';
import { ALERT } from './alerts/alert-record.ts';
import { changeAlert } from './alerts/change-alert.ts';
import { beginWatch, type Change, takeVerdict } from './alerts/change-watch.ts';
import { DETECTOR, type DetectorBody } from './alerts/watcher.ts';

interface Verdict {
  agentId: string;
  passed: boolean;
  receivedAt: number;
}

/** The first change of each agent, told when it was noticed; `verdicts` are in order of arrival. */
export function* demoAlarms(orgId: string, verdicts: Iterable<Verdict>): Generator<LedgerRow> {
  const detectors = new Map<string, DetectorBody>();
  const first = new Map<string, Change>();
  for (const { agentId, passed, receivedAt } of verdicts) {
    const known = detectors.get(agentId);
    const body = known ?? { ...beginWatch(createDetector(), null), generation: 0, cursor: '' };
    detectors.set(agentId, body);
    const change = takeVerdict(body, { passed, at: receivedAt });
    if (change && !first.has(agentId)) first.set(agentId, change);
  }
  let alerts = 0;
  for (const [id, body] of detectors) {
    const change = first.get(id);
    if (!change) continue;
    const document = (kind: string, documentId: string, content: unknown): LedgerRow => ({
      kind: 'document',
      orgId,
      row: { kind, id: documentId, version: 1, updatedAt: change.detectedAt, body: content },
    });
    yield document(DETECTOR, id, body);
    yield document(ALERT, `01930000-0000-7000-8000-0000000a1e${10 + alerts++}`, changeAlert(id, change));
  }
}
