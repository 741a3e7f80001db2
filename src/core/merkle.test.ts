import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merkleRoot, proveInclusion, verifyInclusion } from './merkle.ts';
import { sha256 } from './sha256.ts';

const leaves = (count: number) => Array.from({ length: count }, (_, i) => `leaf ${i}`);

describe('SHA-256', () => {
  it('agrees with the one of Node for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(
          createHash('sha256').update(bytes).digest('hex'),
        );
      }),
    );
  });
});

describe('a Merkle tree', () => {
  it('has the roots of RFC 6962 for its test leaves', () => {
    // From the test vectors of Certificate Transparency.
    const inputs = ['', '\0', '\u0010', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno'];
    expect(merkleRoot([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(merkleRoot(inputs.slice(0, 1))).toBe(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    );
    expect(merkleRoot(inputs.slice(0, 2))).toBe(
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    );
  });

  it('proves every leaf of a list of any length', () => {
    for (const count of [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 500]) {
      const list = leaves(count);
      const root = merkleRoot(list);
      list.forEach((leaf, i) => {
        if (count === 500 && i % 37 !== 0) return;
        expect(verifyInclusion(leaf, proveInclusion(list, i), root)).toBe(true);
      });
    }
  });

  it('proves no leaf that is not in the list, not in another place, and not to another root', () => {
    const spot = fc
      .integer({ min: 1, max: 40 })
      .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1) }));
    fc.assert(
      fc.property(spot, fc.nat(40), ({ size, index }, other) => {
        const list = leaves(size);
        const [root, proof] = [merkleRoot(list), proveInclusion(list, index)];
        expect(verifyInclusion('another leaf', proof, root)).toBe(false);
        if (other !== index)
          expect(verifyInclusion(list[index] ?? '', { ...proof, index: other }, root)).toBe(false);
        expect(verifyInclusion(list[index] ?? '', proof, merkleRoot([...list, 'one more']))).toBe(false);
        const path = proof.path.map((hash, i) =>
          i === 0 ? hash.replace(/^./, (c) => (c === '0' ? '1' : '0')) : hash,
        );
        if (path.length > 0) expect(verifyInclusion(list[index] ?? '', { ...proof, path }, root)).toBe(false);
        expect(verifyInclusion(list[index] ?? '', { ...proof, path: proof.path.slice(1) }, root)).toBe(
          size === 1,
        );
      }),
    );
  });

  it('never mistakes a node for a leaf, and never throws on what a stranger sends', () => {
    const root = merkleRoot(leaves(4));
    expect(verifyInclusion('x', { index: 0, size: 4, path: ['zz', 'short'] }, root)).toBe(false);
    expect(verifyInclusion('x', { index: -1, size: 4, path: [] }, root)).toBe(false);
    expect(verifyInclusion('x', { index: Number.NaN, size: 4, path: [] }, root)).toBe(false);
    expect(verifyInclusion('x', { index: 0, size: 4, path: [1 as never] }, root)).toBe(false);
  });
});
