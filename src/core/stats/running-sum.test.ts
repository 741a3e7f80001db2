import { describe, expect, it } from 'vitest';
import { RunningSum } from './running-sum.ts';

describe('a running sum', () => {
  it('is nothing again when everything has left, where a plain total is not', () => {
    const values = [0.1, 86_400_000, 0.3, 1e-7, 12.34];
    const sum = new RunningSum();
    let plain = 0;
    for (const value of values) {
      sum.add(value);
      plain += value;
    }
    for (const value of values) {
      sum.subtract(value);
      plain -= value;
    }
    expect(sum.value).toBe(0);
    expect(plain).not.toBe(0);
  });
});
