/**
 * A receipt: what an org says of an agent's reputation at one moment, for whoever was not there. Its claims are made and
 * read here; signing them (a JWS with Ed25519, RFC 8037) is for those who hold a key. Below 50 evaluations it states the
 * lifecycle and no number.
 */
import { type Assurance, assuranceOf } from './assurance.ts';
import { LIMITS } from './limits.ts';
import { merkleRoot } from './merkle.ts';
import { type KnownAs, type Lifecycle, PUBLIC_FROM, type Reputation } from './reputation.ts';

/** What of an evaluation a receipt vouches for. Times in epoch milliseconds. */
export interface ReceiptEvaluation {
  evaluationId: string;
  passed: boolean;
  knownAs: KnownAs;
  suiteHash: string | null;
  receivedAt: number;
}

export interface ReceiptClaims {
  iss: string;
  sub: string;
  jti: string;
  /** Seconds since 1970, as JWT has them. */
  iat: number;
  exp: number;
  renown: {
    lifecycle: Lifecycle;
    lifetime_evaluations: number;
    score: number | null;
    assurance: {
      score_low: number;
      score_high: number;
      pass_rate_low: number;
      pass_rate_high: number;
      n_eff: number;
      certainty: number;
    } | null;
    method: Assurance['method'];
    window: { eval_count: number; window_size: number; from: number | null; to: number | null };
    evidence: Record<KnownAs, number>;
    suite_hashes: string[];
    merkle_root: string;
  };
}

interface ReceiptInput {
  issuer: string;
  agentId: string;
  receiptId: string;
  issuedAt: number;
  expiresAt: number;
  reputation: Reputation;
  /** The window, oldest first. */
  evaluations: readonly ReceiptEvaluation[];
}

export function toReceiptClaims(input: ReceiptInput): ReceiptClaims {
  const { reputation, evaluations } = input;
  const { passRateLow, passRateHigh, scoreLow, scoreHigh, nEff, certainty, method } = assuranceOf(reputation);
  const shown = reputation.lifetimeEvaluations >= PUBLIC_FROM;
  const suites = new Set(evaluations.flatMap(({ suiteHash }) => suiteHash ?? []));
  return {
    iss: input.issuer,
    sub: input.agentId,
    jti: input.receiptId,
    iat: Math.floor(input.issuedAt / 1000),
    exp: Math.floor(input.expiresAt / 1000),
    renown: {
      lifecycle: reputation.lifecycle,
      lifetime_evaluations: reputation.lifetimeEvaluations,
      score: shown ? reputation.score : null,
      assurance: shown
        ? {
            score_low: scoreLow,
            score_high: scoreHigh,
            pass_rate_low: passRateLow,
            pass_rate_high: passRateHigh,
            n_eff: nEff,
            certainty,
          }
        : null,
      method,
      window: {
        eval_count: reputation.evalCount,
        window_size: LIMITS.windowSize,
        from: evaluations[0]?.receivedAt ?? null,
        to: evaluations.at(-1)?.receivedAt ?? null,
      },
      evidence: reputation.evidence,
      suite_hashes: [...suites].sort(),
      merkle_root: merkleRoot(evaluations.map(toReceiptLeaf)),
    },
  };
}

/** An evaluation as a leaf of the receipt's tree: JSON with its fields in this order. */
export function toReceiptLeaf(evaluation: ReceiptEvaluation): string {
  const { evaluationId, passed, knownAs, suiteHash, receivedAt } = evaluation;
  return JSON.stringify([evaluationId, passed, knownAs, suiteHash, receivedAt]);
}
