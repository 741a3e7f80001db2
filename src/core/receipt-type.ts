/** The type in a receipt's header. Apart from its claims, so that verifying one loads nothing that makes one. */
export const RECEIPT_TYPE = 'renown-receipt+jwt';
