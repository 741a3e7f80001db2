/** The door `renown/core`: the five scores and what they need, pure, for any runtime. test/surface.test.ts pins it. */
export { type Assurance, assuranceOf } from './assurance.ts';
export { type Check, checkDrop, checkReputation, checkSession, type Verdict } from './check.ts';
export { type Consistency, scoreConsistency } from './consistency.ts';
export { ERRORS, type ErrorBody, type ErrorCode, type Issue, RenownError, toErrorBody } from './errors.ts';
export {
  type Category,
  type DailySum,
  dayOf,
  edgeDays,
  type IdentityEvent,
  type IdentityScore,
  scoreIdentity,
  scoreIdentityFromDays,
  toDailySums,
} from './identity.ts';
export { identityIdOf } from './ids.ts';
export { LIMITS } from './limits.ts';
export { type InclusionProof, merkleRoot, proveInclusion, verifyInclusion } from './merkle.ts';
export {
  type Counter,
  type Dimension,
  type Performance,
  type Recommendation,
  type SessionCounters,
  scorePerformance,
} from './performance.ts';
export { type Quadrant, quadrantOf } from './quadrant.ts';
export { type ReceiptClaims, type ReceiptEvaluation, toReceiptClaims, toReceiptLeaf } from './receipt.ts';
export { type Reliability, scoreReliability } from './reliability.ts';
export {
  type Evaluation,
  type KnownAs,
  type Lifecycle,
  type Reputation,
  reputationOf,
} from './reputation.ts';
export { explainChanges, type ReputationChanges } from './reputation-changes.ts';
export { explainReputation, type ReputationExplanation } from './reputation-explain.ts';
export { ReputationWindow } from './reputation-window.ts';
export { fromWindowBytes, toWindowBytes } from './reputation-window-bytes.ts';
export type { Evidence, SessionScore } from './session-metric.ts';
export {
  type SessionSignals,
  type Signal,
  type SignalWeights,
  type Trace,
  toSessionSignals,
} from './signals.ts';
export { bootstrapMedianDifference, type MedianDifference } from './stats/bootstrap.ts';
export { type ChangeAlarm, createDetector, type DetectorState, observe } from './stats/change-detector.ts';
export { confidenceSequence } from './stats/confidence-sequence.ts';
export type { Interval } from './stats/interval.ts';
export { type RateDifference, rateDifference } from './stats/rate-difference.ts';
export { wilsonInterval } from './stats/wilson.ts';
