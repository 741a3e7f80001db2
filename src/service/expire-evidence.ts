import { LIMITS } from '../core/limits.ts';
import type { ServiceContext } from './context.ts';
import { WEB_SESSION } from './web-sessions.ts';

const DAY_MS = 86_400_000;

/** Lets go of what nobody can need any more: old alerts, what has expired of receipts, and sessions of the dashboard. */
export async function expireEvidence({ store, clock }: ServiceContext): Promise<number> {
  const receipts = clock() - LIMITS.receiptLifetimeSMax * 1000;
  const alerts = clock() - LIMITS.alertsKeptDays * DAY_MS;
  const counts = await Promise.all([
    store.documents.expire('receipt', receipts),
    store.documents.expire('receipt_revocation', receipts),
    store.documents.expire('alert', alerts),
    store.documents.expire('alert_quiet', alerts),
    store.documents.expire(WEB_SESSION, clock() - LIMITS.webSessionMs),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}
