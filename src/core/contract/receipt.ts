/** Receipts over HTTP: issuing, revoking, the keys that verify them, and proofs of single evaluations. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { orgId } from './account.ts';
import { agentId, name, timeOut } from './fields.ts';

export const receiptRequest = z
  .strictObject({
    agent_id: agentId,
    expires_in_s: z.number().optional().meta({
      minimum: 60,
      maximum: LIMITS.receiptLifetimeSMax,
      description: 'Thirty days when absent',
    }),
  })
  .meta({ example: { agent_id: 'support-bot' } });
export type ReceiptRequest = z.infer<typeof receiptRequest>;

export const receiptAnswer = z.object({
  receipt_id: z.string(),
  receipt: z.string().meta({ description: 'A JWS: header, claims and an Ed25519 signature' }),
  issued_at: timeOut,
  expires_at: timeOut,
});

export const proofAnswer = z.object({
  evaluation_id: z.string(),
  leaf: z.string(),
  merkle_root: z.string(),
  proof: z.object({ index: z.int(), size: z.int(), path: z.array(z.string()) }),
});

export const revokeReceiptRequest = z
  .strictObject({ reason: name(LIMITS.reasonLengthMax) })
  .meta({ example: { reason: 'Issued for the wrong agent.' } });

const revocation = z.object({ receipt_id: z.string(), revoked_at: timeOut, reason: z.string() });
export const revocationAnswer = revocation;
export const revocationList = z.object({ org: orgId, items: z.array(revocation) });

export const jwksQuery = z.strictObject({
  org: orgId.optional().meta({ description: 'The keys of one org; of all when absent' }),
});
export const receiptKeyAnswer = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
});
export const jwks = z.object({ keys: z.array(receiptKeyAnswer) });
