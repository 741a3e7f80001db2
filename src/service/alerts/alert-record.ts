/** An alert as it is kept and as it is told. */
import type { AlertKind } from '../../core/contract/alert.ts';
import { toTime } from '../../core/contract/fields.ts';
import type { ServiceContext } from '../context.ts';

/** Where alerts stand among the documents of an org. */
export const ALERT = 'alert';

export interface Alert {
  kind: AlertKind;
  /** The id of the agent, session or monitor it is about. */
  subject: string;
  /** A sentence for people. */
  message: string;
  data: Record<string, number | string | boolean | null>;
}

export async function readAlert({ store }: ServiceContext, orgId: string, alertId: string) {
  const stored = await store.documents.get(orgId, ALERT, alertId);
  return stored && toAlertWire(alertId, stored.body as Alert, stored.updatedAt);
}

export function toAlertWire(alertId: string, { kind, subject, message, data }: Alert, at: number) {
  return { alert_id: alertId, kind, subject, message, at: toTime(at), data };
}
