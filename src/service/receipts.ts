/** Receipts: issued and signed, proved leaf by leaf, and revoked. */
import { sign } from 'node:crypto';
import { toTime } from '../core/contract/fields.ts';
import type { ReceiptRequest } from '../core/contract/receipt.ts';
import { RenownError } from '../core/errors.ts';
import { Issues } from '../core/issues.ts';
import { LIMITS } from '../core/limits.ts';
import { merkleRoot, proveInclusion } from '../core/merkle.ts';
import { type ReceiptClaims, toReceiptClaims, toReceiptLeaf } from '../core/receipt.ts';
import { RECEIPT_TYPE } from '../core/receipt-type.ts';
import { reputationOf } from '../core/reputation.ts';
import { toCounted } from '../store/evaluation-window.ts';
import type { Document, StoredEvaluation } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { evaluationsOf, readWindow } from './counting-evaluations.ts';
import { type ReceiptKey, receiptKey } from './receipt-keys.ts';
import { walkDocuments } from './walk-documents.ts';

const RECEIPT = 'receipt';
const REVOCATION = 'receipt_revocation';
const LIFETIME_S = 30 * 24 * 3_600;

/** What is kept of a receipt: enough to find its window again. */
interface ReceiptBody {
  agentId: string;
  issuedAt: number;
  /** Absent from those issued before this was kept. */
  expiresAt?: number;
  lastEvaluationId: string | null;
  merkleRoot: string;
}

export async function issueReceipt(context: ServiceContext, caller: Caller, request: ReceiptRequest) {
  const { agent_id: agentId, expires_in_s: lifetimeS = LIFETIME_S } = request;
  checkLifetime(lifetimeS);
  const { store, clock, newId } = context;
  const window = await readWindow(context, caller.orgId, agentId);
  const { lifetimeEvaluations } = await store.evaluations.reputation(caller.orgId, agentId);
  const issuedAt = clock();
  const receiptId = newId();
  const claims = toReceiptClaims({
    issuer: caller.orgId,
    agentId,
    receiptId,
    issuedAt,
    expiresAt: issuedAt + lifetimeS * 1000,
    // Of the same evaluations as the tree, whatever has arrived since they were read.
    reputation: reputationOf(window.map(toCounted), Math.max(0, lifetimeEvaluations - window.length)),
    evaluations: window,
  });
  const body: ReceiptBody = {
    agentId,
    issuedAt,
    expiresAt: claims.exp * 1000,
    lastEvaluationId: window.at(-1)?.evaluationId ?? null,
    merkleRoot: claims.renown.merkle_root,
  };
  const receipt = toJws(claims, await receiptKey(context, caller));
  await store.documents.put(
    caller.orgId,
    { kind: RECEIPT, id: receiptId, body, at: issuedAt, expectedVersion: 0 },
    auditEntry(context, caller, { action: 'receipt.issue', target: receiptId, note: agentId }),
  );
  return {
    receipt_id: receiptId,
    receipt,
    issued_at: toTime(claims.iat * 1000),
    expires_at: toTime(claims.exp * 1000),
  };
}

/** That an evaluation was in the window of a receipt. One that was not cannot be proved. */
export async function proveEvaluation(
  context: ServiceContext,
  { orgId }: Caller,
  { receiptId, evaluationId }: { receiptId: string; evaluationId: string },
) {
  const stored = await context.store.documents.get(orgId, RECEIPT, receiptId);
  if (!stored) return unknownReceipt();
  const body = stored.body as ReceiptBody;
  const window = await windowOf(context, orgId, body);
  const leaves = window.map(toReceiptLeaf);
  if (merkleRoot(leaves) !== body.merkleRoot) {
    throw new RenownError(
      'not_found',
      'Evaluations of this receipt are gone; nothing can be proved any more.',
    );
  }
  const index = window.findIndex((one) => one.evaluationId === evaluationId);
  if (index === -1)
    throw new RenownError('not_found', 'That evaluation was not in the window of this receipt.');
  return {
    evaluation_id: evaluationId,
    leaf: leaves[index] as string,
    merkle_root: body.merkleRoot,
    proof: proveInclusion(leaves, index),
  };
}

export async function revokeReceipt(context: ServiceContext, caller: Caller, what: Revoking) {
  if (!(await context.store.documents.get(caller.orgId, RECEIPT, what.receiptId))) return unknownReceipt();
  return toRevocationWire(what.receiptId, await revoke(context, caller, what));
}

/** Of an agent that is deleted. A receipt verifies for those who hold it, whether we know it or not, until it expires. */
export async function forgetReceipts(
  context: ServiceContext,
  caller: Caller,
  agentId: string,
): Promise<void> {
  const { store, clock } = context;
  const forget = async ({ id, body }: Document) => {
    const { issuedAt, expiresAt = issuedAt + LIMITS.receiptLifetimeSMax * 1000 } = body as ReceiptBody;
    if (expiresAt > clock())
      await revoke(context, caller, { receiptId: id, reason: 'Its agent was deleted.' });
    await store.documents.delete(caller.orgId, RECEIPT, id);
  };
  for await (const page of walkDocuments(context, caller.orgId, RECEIPT))
    await Promise.all(page.filter(({ body }) => (body as ReceiptBody).agentId === agentId).map(forget));
}

/** For everyone who holds a receipt of the org. Whole: who is not on it counts as good. They expire with the receipts. */
export async function listRevocations(context: ServiceContext, orgId: string) {
  const items: ReturnType<typeof toRevocationWire>[] = [];
  for await (const page of walkDocuments(context, orgId, REVOCATION))
    items.push(...page.map((one) => toRevocationWire(one.id, one)));
  return { org: orgId, items };
}

interface Revoking {
  receiptId: string;
  reason: string;
}

async function revoke(context: ServiceContext, caller: Caller, { receiptId, reason }: Revoking) {
  const { store, clock } = context;
  const known = await store.documents.get(caller.orgId, REVOCATION, receiptId);
  if (known) return known;
  const audit = auditEntry(context, caller, { action: 'receipt.revoke', target: receiptId, note: reason });
  const write = { kind: REVOCATION, id: receiptId, body: { reason }, at: clock(), expectedVersion: 0 };
  return store.documents.put(caller.orgId, write, audit);
}

function toJws(claims: ReceiptClaims, { kid, privateKey }: ReceiptKey): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'EdDSA', typ: RECEIPT_TYPE, kid })}.${part(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** The window of a receipt, made again: what was voided later still counted then. */
async function windowOf(
  context: ServiceContext,
  orgId: string,
  { agentId, issuedAt, lastEvaluationId }: ReceiptBody,
): Promise<StoredEvaluation[]> {
  const window: StoredEvaluation[] = [];
  for await (const one of evaluationsOf(context, orgId, agentId)) {
    const counted = one.counts && (one.voided === null || one.voided.at >= issuedAt);
    if (!counted || (window.length === 0 && one.evaluationId !== lastEvaluationId)) continue;
    if (window.push(one) === LIMITS.windowSize) break;
  }
  return window.reverse();
}

function checkLifetime(seconds: number): void {
  const issues = new Issues();
  issues.whole(seconds, 'expires_in_s', { min: 60, max: LIMITS.receiptLifetimeSMax });
  issues.throwIfAny();
}

function toRevocationWire(receiptId: string, { updatedAt, body }: { updatedAt: number; body: unknown }) {
  const { reason } = body as { reason: string };
  return { receipt_id: receiptId, revoked_at: toTime(updatedAt), reason };
}

function unknownReceipt(): never {
  throw new RenownError('not_found', 'This org has issued no receipt of that id.');
}
