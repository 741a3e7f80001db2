import { readFile } from 'node:fs/promises';

export async function packageVersion(): Promise<string> {
  // The same place from src/cli and from dist/cli.
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
