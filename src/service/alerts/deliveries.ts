/**
 * What is on its way to webhooks. Each delivery is a document until it has arrived or been given up, so that a restart loses
 * none; a node that takes one moves its next attempt into the future first, so that no other sends it too. A receiver may
 * still see one twice, when a node dies between sending and noting it: the id of the alert tells.
 */
import { isConflict, RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Document, Page } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import { sign } from '../signatures.ts';
import { readAlert } from './alert-record.ts';
import { type Posted, type PostOptions, postWebhook } from './post-webhook.ts';
import { webhooksOf } from './webhooks.ts';

const KIND = 'alert_delivery';
/** After the first attempt: half a minute, two, ten, an hour, six. Then it is given up. */
const RETRY_AFTER_MS = [30_000, 120_000, 600_000, 3_600_000, 21_600_000];

interface DeliveryBody {
  alertId: string;
  webhookId: string;
  attempts: number;
  nextAt: number;
}

export interface DeliveryOptions extends PostOptions {
  /** Then no more are begun, and those on their way are waited for. */
  stopping?: AbortSignal;
  log: { info(what: object, message: string): void; warn(what: object, message: string): void };
}

export interface Delivered extends Posted {
  webhookId: string;
}

export async function queueDelivery(
  { store, clock }: ServiceContext,
  orgId: string,
  { alertId, webhookId }: { alertId: string; webhookId: string },
): Promise<void> {
  const body: DeliveryBody = { alertId, webhookId, attempts: 0, nextAt: clock() };
  const write = { kind: KIND, id: `${alertId}.${webhookId}`, body, at: clock(), expectedVersion: 0 };
  await store.documents.put(orgId, write);
}

/** Attempts what is due, and answers with what became of each. `alertId` attempts those of one alert alone. */
export async function deliverDue(
  context: ServiceContext,
  orgId: string,
  options: DeliveryOptions & { alertId?: string },
): Promise<Delivered[]> {
  const outcomes: (Delivered | null)[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Document> = await context.store.documents.list(orgId, KIND, {
      cursor,
      limit: LIMITS.deliveriesAtOnce,
    });
    const due = page.items.filter(({ body }) => {
      const { nextAt, alertId } = body as DeliveryBody;
      return nextAt <= context.clock() && (options.alertId ?? alertId) === alertId;
    });
    outcomes.push(
      ...(await Promise.all(due.map((document) => attempt(context, orgId, { document, options })))),
    );
    cursor = page.nextCursor;
  } while (cursor !== null && !options.stopping?.aborted);
  return outcomes.flatMap((outcome) => outcome ?? []);
}

async function attempt(
  context: ServiceContext,
  orgId: string,
  { document, options }: { document: Document; options: DeliveryOptions },
): Promise<Delivered | null> {
  const { store, clock } = context;
  const body = document.body as DeliveryBody;
  const retryAfter = RETRY_AFTER_MS[body.attempts];
  const next = { ...body, attempts: body.attempts + 1, nextAt: clock() + (retryAfter ?? options.timeoutMs) };
  if (!(await claim(context, orgId, { document, next }))) return null;
  const posted = await post(context, orgId, { body, options });
  const what = { alert_id: body.alertId, webhook: body.webhookId, attempt: next.attempts };
  if (posted.delivered || retryAfter === undefined || posted.detail === GONE) {
    await store.documents.delete(orgId, KIND, document.id);
  }
  if (posted.delivered) options.log.info(what, 'alert delivered');
  else options.log.warn(what, retryAfter === undefined ? `alert given up: ${posted.detail}` : posted.detail);
  return { webhookId: body.webhookId, ...posted };
}

async function claim(
  { store, clock }: ServiceContext,
  orgId: string,
  { document, next }: { document: Document; next: DeliveryBody },
): Promise<boolean> {
  try {
    const { id, version } = document;
    await store.documents.put(orgId, { kind: KIND, id, body: next, at: clock(), expectedVersion: version });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

const GONE = 'The webhook or the alert is gone.';
const SEALED = 'Its secret was sealed under another master key: make the webhook anew.';

async function post(
  context: ServiceContext,
  orgId: string,
  { body: { alertId, webhookId }, options }: { body: DeliveryBody; options: DeliveryOptions },
): Promise<Posted> {
  const webhook = (await webhooksOf(context, orgId)).find((one) => one.webhookId === webhookId);
  const alert = await readAlert(context, orgId, alertId);
  if (!webhook || !alert) return { delivered: false, detail: GONE };
  const text = JSON.stringify({ org_id: orgId, ...alert });
  const seconds = Math.floor(context.clock() / 1000);
  const secret = openSecret(context, webhook);
  if (secret === null) return { delivered: false, detail: SEALED };
  const signature = sign(secret, seconds, Buffer.from(text));
  const headers = { 'x-renown-signature': `t=${seconds},v1=${signature}`, 'x-renown-alert': alertId };
  return postWebhook(webhook.url, { body: text, headers }, options);
}

/** Null when it cannot be opened: one such webhook is no reason to send nothing to the others. */
function openSecret({ vault }: ServiceContext, { sealed }: { sealed: string }): string | null {
  try {
    return vault.open(sealed);
  } catch (error) {
    if (error instanceof RenownError) return null;
    throw error;
  }
}
