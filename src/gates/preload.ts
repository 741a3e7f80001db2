/**
 * Makes the gates once that load something when they are first made: when the files of a server are replaced while it runs,
 * those that it has not loaded yet are gone.
 */
import { pattern } from './pattern.ts';
import { schema } from './schema.ts';

export async function preloadGates(): Promise<void> {
  await pattern({ deny: ['a'] });
  await schema({ pattern: 'a' });
}
