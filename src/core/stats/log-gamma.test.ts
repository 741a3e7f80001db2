import { describe, expect, it } from 'vitest';
import { logGamma } from './log-gamma.ts';

describe('ln Γ', () => {
  it('is that of the factorials and of the half', () => {
    let factorial = 0;
    for (let n = 1; n < 170; n++) {
      expect(logGamma(n)).toBeCloseTo(factorial, 10);
      factorial += Math.log(n);
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 13);
    expect(logGamma(0.25)).toBeCloseTo(1.2880225246980774, 12);
  });
});
