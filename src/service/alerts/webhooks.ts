/** Where the alerts of an org go. Each webhook has a secret of its own, sealed, and shown once. */
import { ALERT_KINDS, type AlertKind, type WebhookRequest } from '../../core/contract/alert.ts';
import { toTime } from '../../core/contract/fields.ts';
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { auditEntry } from '../audit-entry.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type PostOptions, pointsInside } from './post-webhook.ts';

const KIND = 'webhook';
const SECRET_BYTES = 24;

interface WebhookBody {
  url: string;
  kinds: AlertKind[];
  sealed: string;
  createdAt: number;
}

export interface Webhook extends WebhookBody {
  webhookId: string;
}

export async function createWebhook(
  context: ServiceContext,
  caller: Caller,
  { request, isAllowed }: { request: WebhookRequest } & Pick<PostOptions, 'isAllowed'>,
) {
  const { store, vault, clock, newId, newSecret } = context;
  // A name is looked up when something is sent, because it may mean another address by then.
  if (pointsInside(new URL(request.url), isAllowed)) throw refused(request.url);
  if ((await webhooksOf(context, caller.orgId)).length >= LIMITS.webhooksMax)
    throw new RenownError('conflict', `An org has at most ${LIMITS.webhooksMax} webhooks. Delete one first.`);
  const secret = `wh_live_${newSecret(SECRET_BYTES)}`;
  const webhookId = newId();
  const body: WebhookBody = {
    url: request.url,
    kinds: request.kinds ?? [...ALERT_KINDS],
    sealed: vault.seal(secret),
    createdAt: clock(),
  };
  await store.documents.put(
    caller.orgId,
    { kind: KIND, id: webhookId, body, at: clock(), expectedVersion: 0 },
    auditEntry(context, caller, {
      action: 'webhook.create',
      target: webhookId,
      note: new URL(body.url).host,
    }),
  );
  return { ...toWire({ webhookId, ...body }), secret };
}

function refused(url: string): RenownError {
  const message = `${new URL(url).host} is a private address, and those are not allowed here. The operator can allow it with webhook_networks.`;
  return new RenownError('invalid_request', message, { details: [{ path: 'url', message }] });
}

export async function listWebhooks(context: ServiceContext, { orgId }: Caller) {
  return { items: (await webhooksOf(context, orgId)).map(toWire) };
}

export async function deleteWebhook(context: ServiceContext, caller: Caller, webhookId: string) {
  const entry = auditEntry(context, caller, { action: 'webhook.delete', target: webhookId });
  if (!(await context.store.documents.delete(caller.orgId, KIND, webhookId, entry)))
    throw new RenownError('not_found', 'This org has no webhook of that id.');
  return { deleted: true as const };
}

export async function webhooksOf({ store }: ServiceContext, orgId: string): Promise<Webhook[]> {
  const { items } = await store.documents.list(orgId, KIND, { limit: LIMITS.webhooksMax });
  return items.map(({ id, body }) => ({ webhookId: id, ...(body as WebhookBody) }));
}

function toWire({ webhookId, url, kinds, createdAt }: Webhook) {
  return { webhook_id: webhookId, url, kinds, created_at: toTime(createdAt) };
}
