/**
 * While a server runs it leaves a file beside its store that only its owner may read: where it listens, and a token that
 * lets the CLI in. DuckDB opens a file for one process, so this is how everybody else reaches the ledger.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

export interface ServerFile {
  url: string;
  token: string;
  pid: number;
}

/** Beside the file of an embedded store; nothing for a store that has none. */
export function serverFilePath(storeUrl: string): string | null {
  return storeUrl.startsWith('duckdb:') ? `${storeUrl.slice('duckdb:'.length)}.server.json` : null;
}

export async function writeServerFile(path: string, file: ServerFile): Promise<void> {
  // Written aside and moved into place, so that nobody reads half of it, and with its rights from the first byte.
  const fresh = `${path}.${file.pid}`;
  await rm(fresh, { force: true });
  await writeFile(fresh, `${JSON.stringify(file)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, path);
}

/** Null when there is none, or when the process that left it is no more. */
export async function readServerFile(
  path: string,
  isAlive: (pid: number) => boolean,
): Promise<ServerFile | null> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as ServerFile;
    return isAlive(file.pid) ? file : null;
  } catch {
    return null;
  }
}

/** Leaves a file alone that another server has written since. */
export async function removeServerFile(path: string, token: string): Promise<void> {
  const file = await readServerFile(path, () => true);
  if (file?.token === token) await rm(path, { force: true });
}
