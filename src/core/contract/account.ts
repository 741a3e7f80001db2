/** Orgs, keys, signing secrets, settings and the audit log over HTTP. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { KINDS } from '../reputation.ts';
import { name, pageOf, pageQuery, timeOut } from './fields.ts';

const ORG_ID_FAULT = `must be lower-case letters, digits and dashes, at most ${LIMITS.orgIdLengthMax}, and begin with a letter or digit`;

/** An org id stands in public addresses, so it is kept plain. */
export const orgId = z
  .string()
  .max(LIMITS.orgIdLengthMax, ORG_ID_FAULT)
  .regex(/^[a-z0-9][a-z0-9-]*$/, ORG_ID_FAULT);

export const orgRequest = z.strictObject({ org_id: orgId, name: name().optional() });
const orgAnswer = z.object({ org_id: z.string(), name: z.string(), created_at: timeOut });
export const orgList = z.object({ items: z.array(orgAnswer) });

const keyKind = z.enum(['pk', 'sk']);
export const keyRequest = z.strictObject({ kind: keyKind }).meta({ example: { kind: 'pk' } });
export const keyAnswer = z.object({
  key_id: z.string(),
  kind: keyKind,
  hint: z.string().meta({ description: 'The last characters of the key' }),
  created_at: timeOut,
  revoked_at: timeOut.nullable(),
  last_used_at: timeOut.nullable(),
});
/** The one time that a key is shown. */
export const newKeyAnswer = keyAnswer.extend({ key: z.string() });
export const keyList = z.object({ items: z.array(keyAnswer) });

/** A new org comes with its two keys. */
export const newOrgAnswer = orgAnswer.extend({ keys: z.object({ pk: newKeyAnswer, sk: newKeyAnswer }) });

const secretAnswer = z.object({ secret_id: z.string(), hint: z.string(), created_at: timeOut });
export const newSecretAnswer = secretAnswer.extend({ secret: z.string() });
export const secretList = z.object({ items: z.array(secretAnswer) });

const settings = {
  require_signatures: z.boolean(),
  counting_kinds: z
    .array(z.enum(KINDS))
    .min(1, 'must name at least one kind')
    .max(KINDS.length)
    .meta({ description: 'Evaluations known in other ways are stored, and do not count. From now on' }),
  score_floor: z
    .int()
    .min(0)
    .max(1000)
    .nullable()
    .meta({ description: 'An alert is raised for an agent below it' }),
  alert_quiet_s: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .meta({ description: 'How long the same alert about the same subject is not said again' }),
  baseline_pass_rate: z.number().nullable().meta({
    description: 'What the change detector holds agents to; null: what each showed in its first 500',
  }),
};
export const settingsAnswer = z.object(settings);
export const settingsChange = z
  .strictObject(settings)
  .partial()
  .meta({ example: { require_signatures: false } });

const days = z.int().meta({ description: 'Days; 0 keeps it for ever' });
export const retentionAnswer = z.object({
  keep_evaluations_days: days,
  keep_reputation_events_days: days,
  keep_audit_days: days,
  keep_session_events_days: days,
  keep_signals_days: days,
  keep_session_scores_days: days,
});

const auditEntry = z.object({
  audit_id: z.string(),
  at: timeOut,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  note: z.string(),
});
export const auditPage = pageOf(auditEntry);
export const auditQuery = z.strictObject(pageQuery);
