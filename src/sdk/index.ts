/** The door `renown/sdk`: gates in your own process, and a client for the server. Needs fetch and nothing else. */
export { RenownError } from '../core/errors.ts';
export type { ReceiptClaims } from '../core/receipt.ts';
export { createEngine, type Engine, type EngineOptions } from '../gates/engine.ts';
export { doesCount, type EvaluationResult, type GateResult } from '../gates/evaluation-result.ts';
export type { Gate, GateContext, GateFinding } from '../gates/gate.ts';
export { DEFAULT_SUITE, hashSuite, openSuite, type Suite } from '../gates/suite.ts';
export * as gates from './gates.ts';
export { verifyReceipt } from './receipts.ts';
export { Renown, type RenownOptions } from './renown.ts';
export type { Dropped, TrackExtras } from './telemetry.ts';
export type { JwkSet, VerifiedReceipt } from './verify-receipt.ts';
