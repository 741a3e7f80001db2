/** Keeps secrets that must be read again, encrypted with a key that is not in the ledger: AES-256-GCM. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { RenownError } from '../core/errors.ts';

export interface Vault {
  seal(text: string): string;
  open(sealed: string): string;
}

/** Any text is a master key; it is worth as much as the randomness in it. */
export function createVault(masterKey: string): Vault {
  const key = createHash('sha256').update(`renown vault ${masterKey}`).digest();
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new RenownError(
          'corrupt_data',
          'A stored secret cannot be opened with this master key. Start with the key it was sealed with, or make a new secret.',
          { cause },
        );
      }
    },
  };
}
