import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';

interface Once {
  table: string;
  row: object;
  /** What may be there once. */
  token: string;
  /** Who wrote the rows that are in the way. */
  writers(): Promise<{ writer: string }[]>;
}

/**
 * Inserts a row that only one of several writers may insert, on several nodes too: all send theirs with the same token, the
 * server takes one of them, and the name that each writer draws tells whose it was. False when another is there, or won.
 */
export async function insertOnce(
  connection: Connection,
  { table, row, token, writers }: Once,
): Promise<boolean> {
  // The server remembers tokens for a while only; what is older is found by looking.
  if ((await writers()).length > 0) return false;
  const writer = randomUUID();
  await connection.insert(table, [{ ...row, writer }], token);
  const [winner] = await writers();
  return winner?.writer === writer;
}
