/**
 * Raising alerts: each is written down, becomes a line of the log, and is queued for every webhook that wants its kind.
 * The same thing about the same subject is said once in a quiet period, by one node of however many.
 */
import { toPageRequest, toPageWire } from '../../core/contract/fields.ts';
import { RenownError } from '../../core/errors.ts';
import { auditEntry } from '../audit-entry.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { ALERT, type Alert, toAlertWire } from './alert-record.ts';
import { queueDelivery } from './deliveries.ts';
import { webhooksOf } from './webhooks.ts';

export const QUIET = 'alert_quiet';

export interface AlertLog {
  warn(what: object, message: string): void;
}

/** Answers with the id of the alert; null when the same was said within the quiet period. */
export async function raiseAlert(
  context: ServiceContext,
  orgId: string,
  { alert, log }: { alert: Alert; log: AlertLog },
): Promise<string | null> {
  const { store, clock, newId } = context;
  if (alert.kind !== 'test' && !(await takeTurn(context, orgId, alert))) return null;
  const alertId = newId();
  await store.documents.put(orgId, {
    kind: ALERT,
    id: alertId,
    body: alert,
    at: clock(),
    expectedVersion: 0,
  });
  log.warn({ alert: alert.kind, org: orgId, subject: alert.subject, alert_id: alertId }, alert.message);
  for (const { webhookId, kinds } of await webhooksOf(context, orgId)) {
    if (kinds.includes(alert.kind)) await queueDelivery(context, orgId, { alertId, webhookId });
  }
  return alertId;
}

/** Their ids are in order of time. */
export async function listAlerts(
  { store }: ServiceContext,
  { orgId }: Caller,
  query: { cursor?: string | undefined; limit?: number | undefined; order?: 'oldest' | 'newest' | undefined },
) {
  const descending = query.order === 'newest';
  const page = await store.documents.list(orgId, ALERT, { ...toPageRequest(query), descending });
  return toPageWire(page, ({ id, body, updatedAt }) => toAlertWire(id, body as Alert, updatedAt));
}

/** Sends a harmless alert to every webhook, and says of each whether it arrived. */
export async function raiseTestAlert(
  context: ServiceContext,
  caller: Caller,
  log: AlertLog,
): Promise<string> {
  const alert: Alert = {
    kind: 'test',
    subject: caller.orgId,
    message: 'A test: alerts of this org arrive here.',
    data: {},
  };
  await context.store.audit.append(
    caller.orgId,
    auditEntry(context, caller, { action: 'alert.test', target: caller.orgId }),
  );
  return (await raiseAlert(context, caller.orgId, { alert, log })) as string;
}

/** Of all who would say the same thing now, exactly one may. */
async function takeTurn(context: ServiceContext, orgId: string, { kind, subject }: Alert): Promise<boolean> {
  const { store, clock, settings } = context;
  const { alert_quiet_s: quietS } = await settings.read(orgId);
  const id = `${kind}:${subject}`;
  const last = await store.documents.get(orgId, QUIET, id);
  if (last && clock() - last.updatedAt < quietS * 1000) return false;
  try {
    const write = { kind: QUIET, id, body: null, at: clock(), expectedVersion: last?.version ?? 0 };
    await store.documents.put(orgId, write);
    return true;
  } catch (error) {
    if (error instanceof RenownError && error.code === 'conflict') return false;
    throw error;
  }
}
