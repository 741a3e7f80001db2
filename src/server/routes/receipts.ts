import {
  jwks,
  jwksQuery,
  proofAnswer,
  receiptAnswer,
  receiptKeyAnswer,
  receiptRequest,
  revocationAnswer,
  revocationList,
  revokeReceiptRequest,
} from '../../core/contract/receipt.ts';
import type { ServiceContext } from '../../service/context.ts';
import { readJwks, replaceReceiptKey } from '../../service/receipt-keys.ts';
import { issueReceipt, listRevocations, proveEvaluation, revokeReceipt } from '../../service/receipts.ts';
import { type Route, route } from '../route.ts';

const tag = 'Receipts';

/** Signed statements of a reputation, for those who have no key of the org. */
export function receiptRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/receipts',
      access: 'sk',
      tag,
      summary: 'Issue a signed statement of a reputation',
      description: 'Below 50 evaluations it states the lifecycle and no number.',
      body: receiptRequest,
      answers: { 201: { description: 'The receipt', schema: receiptAnswer } },
      handle: async ({ caller, body }) => ({ status: 201, json: await issueReceipt(context, caller, body) }),
    }),
    route({
      method: 'GET',
      path: '/v1/receipts/:receiptId/proofs/:evaluationId',
      access: 'pk',
      tag,
      summary: 'Prove that an evaluation was in the window of a receipt',
      answers: { 200: { description: 'The way from the leaf to the root', schema: proofAnswer } },
      handle: async ({ caller, params }) => ({ json: await proveEvaluation(context, caller, params) }),
    }),
    route({
      method: 'POST',
      path: '/v1/receipts/:receiptId/revoke',
      access: 'sk',
      tag,
      summary: 'Take a receipt back',
      description: 'It goes on the public list of the org. Revoking again changes nothing.',
      body: revokeReceiptRequest,
      answers: { 200: { description: 'Revoked', schema: revocationAnswer } },
      handle: async ({ caller, params, body }) => ({
        json: await revokeReceipt(context, caller, { ...params, ...body }),
      }),
    }),
    route({
      method: 'GET',
      path: '/public/:org/revocations',
      access: 'anyone',
      tag,
      summary: 'The receipts that an org has taken back',
      answers: { 200: { description: 'All of them', schema: revocationList } },
      handle: async ({ params }) => ({ json: await listRevocations(context, params.org) }),
    }),
    route({
      method: 'POST',
      path: '/v1/receipt-keys',
      access: 'sk',
      tag,
      summary: 'Sign receipts with a new key from now on',
      description:
        'The public part of the former one stays in the JWK set until the receipts that it signed have expired. This is also the way out when the key cannot be opened, because the ledger came here from another master key.',
      answers: { 201: { description: 'The public part of the new key', schema: receiptKeyAnswer } },
      handle: async ({ caller }) => ({ status: 201, json: await replaceReceiptKey(context, caller) }),
    }),
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'anyone',
      tag,
      summary: 'The keys that receipts are verified with',
      query: jwksQuery,
      answers: { 200: { description: 'A JWK set', schema: jwks } },
      handle: async ({ query }) => ({
        json: await readJwks(context, query.org),
        headers: ['Cache-Control', 'public, max-age=300'],
      }),
    }),
  ];
}
