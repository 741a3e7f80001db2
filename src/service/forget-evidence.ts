/** What is kept of an agent as evidence goes with the agent: its detector, its alerts and its receipts. */
import type { Document } from '../store/store.ts';
import { ALERT, type Alert } from './alerts/alert-record.ts';
import { QUIET } from './alerts/alerts.ts';
import { DETECTOR } from './alerts/watcher.ts';
import type { Caller, ServiceContext } from './context.ts';
import { forgetReceipts } from './receipts.ts';
import { walkDocuments } from './walk-documents.ts';

export async function forgetEvidence(
  context: ServiceContext,
  caller: Caller,
  agentId: string,
): Promise<void> {
  const { orgId } = caller;
  await context.store.documents.delete(orgId, DETECTOR, agentId);
  await deleteWhere(context, orgId, {
    kind: ALERT,
    is: ({ body }) => {
      const { subject, data } = body as Alert;
      return subject === agentId || data.agent_id === agentId;
    },
  });
  // `<kind of alert>:<subject>`
  await deleteWhere(context, orgId, {
    kind: QUIET,
    is: ({ id }) => id.slice(id.indexOf(':') + 1) === agentId,
  });
  await forgetReceipts(context, caller, agentId);
}

async function deleteWhere(
  context: ServiceContext,
  orgId: string,
  { kind, is }: { kind: string; is(document: Document): boolean },
): Promise<void> {
  const { documents } = context.store;
  for await (const page of walkDocuments(context, orgId, kind))
    await Promise.all(page.filter(is).map(({ id }) => documents.delete(orgId, kind, id)));
}
