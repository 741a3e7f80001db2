import type { verifyReceipt as verify } from './verify-receipt.ts';

/** Verifies a receipt offline. Loaded when first used: most who gate their outputs never see one. */
export const verifyReceipt: typeof verify = async (...given) =>
  (await import('./verify-receipt.ts')).verifyReceipt(...given);
