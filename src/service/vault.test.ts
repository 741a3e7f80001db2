import { expect, it } from 'vitest';
import { createVault } from './vault.ts';

it('opens what it sealed, never twice the same, and only with the same key', () => {
  const vault = createVault('a master key of some length');
  const sealed = vault.seal('the secret');
  expect(sealed).not.toContain('secret');
  expect(vault.seal('the secret')).not.toBe(sealed);
  expect(vault.open(sealed)).toBe('the secret');
  expect(() => createVault('another key').open(sealed)).toThrow('cannot be opened with this master key');
  const bytes = Buffer.from(sealed, 'base64');
  bytes[30] = (bytes[30] ?? 0) ^ 1;
  expect(() => vault.open(bytes.toString('base64'))).toThrow('cannot be opened');
  expect(() => vault.open('')).toThrow('cannot be opened');
});
