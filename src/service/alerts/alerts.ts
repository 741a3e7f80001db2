/**
 * Raising alerts: each is written down, becomes a line of the log, and is queued for every webhook that wants its kind.
 * The same thing about the same subject is said once in a quiet period, by one node of however many.
 */
import { toPageRequest, toPageWire } from '../../core/contract/fields.ts';
import { isConflict } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { auditEntry } from '../audit-entry.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { ALERT, type Alert, toAlertWire } from './alert-record.ts';
import { queueDelivery } from './deliveries.ts';
import { webhooksOf } from './webhooks.ts';

export const QUIET = 'alert_quiet';
const PENDING = 'alert_pending';

export interface AlertLog {
  warn(what: object, message: string): void;
}

/**
 * Answers with the id of the alert; null when the same was said within the quiet period. The alert is written down as
 * pending before its turn is taken: whatever ends the process in between, `finishPending` says it after all.
 */
export async function raiseAlert(
  context: ServiceContext,
  orgId: string,
  { alert, log }: { alert: Alert; log: AlertLog },
): Promise<string | null> {
  const { store, clock, newId } = context;
  const alertId = newId();
  if (alert.kind !== 'test') {
    const last = await store.documents.get(orgId, QUIET, turnOf(alert));
    const { alert_quiet_s: quietS } = await context.settings.read(orgId);
    if (last && clock() - last.updatedAt < quietS * 1000) return null;
    await store.documents.put(orgId, {
      kind: PENDING,
      id: alertId,
      body: alert,
      at: clock(),
      expectedVersion: 0,
    });
    if (!(await takeTurn(context, orgId, { alert, alertId, version: last?.version ?? 0 }))) {
      await store.documents.delete(orgId, PENDING, alertId);
      return null;
    }
  }
  await publish(context, orgId, { alertId, alert, log });
  return alertId;
}

/** Says what was cut off between its turn and its saying. */
export async function finishPending(context: ServiceContext, orgId: string, log: AlertLog): Promise<void> {
  const { store, clock } = context;
  const { items } = await store.documents.list(orgId, PENDING, { limit: LIMITS.pageSizeMax });
  for (const { id: alertId, body, updatedAt } of items) {
    // A node may be in the middle of it.
    if (clock() - updatedAt < LIMITS.alertPendingMs) continue;
    const alert = body as Alert;
    const turn = await store.documents.get(orgId, QUIET, turnOf(alert));
    if (turn?.body === alertId) await publish(context, orgId, { alertId, alert, log });
    else await store.documents.delete(orgId, PENDING, alertId);
  }
}

/** May be done again from the beginning. */
async function publish(
  context: ServiceContext,
  orgId: string,
  { alertId, alert, log }: { alertId: string; alert: Alert; log: AlertLog },
): Promise<void> {
  const { store, clock } = context;
  const write = { kind: ALERT, id: alertId, body: alert, at: clock(), expectedVersion: 0 };
  await unlessDone(store.documents.put(orgId, write));
  log.warn({ alert: alert.kind, org: orgId, subject: alert.subject, alert_id: alertId }, alert.message);
  for (const { webhookId, kinds } of await webhooksOf(context, orgId)) {
    if (kinds.includes(alert.kind)) await unlessDone(queueDelivery(context, orgId, { alertId, webhookId }));
  }
  await store.documents.delete(orgId, PENDING, alertId);
}

async function unlessDone(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!isConflict(error)) throw error;
  });
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
async function takeTurn(
  { store, clock }: ServiceContext,
  orgId: string,
  { alert, alertId, version }: { alert: Alert; alertId: string; version: number },
): Promise<boolean> {
  try {
    const write = { kind: QUIET, id: turnOf(alert), body: alertId, at: clock(), expectedVersion: version };
    await store.documents.put(orgId, write);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

/** What is the same thing: two metrics of one monitor are two. */
function turnOf({ kind, subject, data }: Alert): string {
  return data.metric === undefined ? `${kind}:${subject}` : `${kind}:${subject}:${data.metric}`;
}
