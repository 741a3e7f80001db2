/** Signing in to the dashboard: a key or a link goes in once, and who is signed in comes out. */
import { z } from 'zod';
import { timeOut } from './fields.ts';

const secret = z.string().min(1).max(200);

export const signInRequest = z.union([z.strictObject({ key: secret }), z.strictObject({ link: secret })], {
  error: 'must be { key } or { link }',
});

const nobody = z.object({ signed_in: z.literal(false), version: z.string() });
const somebody = z.object({
  signed_in: z.literal(true),
  version: z.string(),
  org_id: z.string(),
  org_name: z.string(),
  kind: z.enum(['pk', 'sk']),
  key_id: z.string().nullable(),
  expires_at: timeOut,
});

export const meAnswer = z.union([nobody, somebody]);
export type Me = z.infer<typeof meAnswer>;
