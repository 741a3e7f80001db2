/** Rounds for show, halves up; the 1e-9 lets a half that binary holds just below count as one. */
export function roundHalfUp(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.floor((value + 1e-9) * factor + 0.5) / factor;
}
