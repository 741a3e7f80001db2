/** Alerts over HTTP: where they go, what was raised, and whether they arrive. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { pageOf, pageQuery, timeOut } from './fields.ts';

export const ALERT_KINDS = [
  'score_below_floor',
  'change_detected',
  'monitor_failed',
  'session_doffed',
  'coverage_lost',
  'test',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

const kinds = z.array(z.enum(ALERT_KINDS)).max(ALERT_KINDS.length);

export const webhookRequest = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(LIMITS.urlLengthMax),
    kinds: kinds.optional().meta({ description: 'All of them, when absent' }),
  })
  .meta({ example: { url: 'https://hooks.example/renown' } });
export type WebhookRequest = z.infer<typeof webhookRequest>;

const webhook = z.object({ webhook_id: z.string(), url: z.string(), kinds, created_at: timeOut });
/** The secret is shown this once. Verify `X-Renown-Signature` with it. */
export const newWebhookAnswer = webhook.extend({ secret: z.string() });
export const webhookList = z.object({ items: z.array(webhook) });

const alert = z.object({
  alert_id: z.string(),
  kind: z.enum(ALERT_KINDS),
  subject: z.string().meta({ description: 'The id of the agent, session or monitor' }),
  message: z.string(),
  at: timeOut,
  data: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
});
export const alertPage = pageOf(alert);
export const alertQuery = z.strictObject({
  ...pageQuery,
  order: z
    .enum(['oldest', 'newest'])
    .optional()
    .meta({ description: 'Which come first: the oldest, when absent' }),
});

export const alertTestAnswer = z.object({
  alert_id: z.string(),
  deliveries: z.array(z.object({ webhook_id: z.string(), delivered: z.boolean(), detail: z.string() })),
});
