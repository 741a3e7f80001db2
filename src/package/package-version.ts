import { readFile } from 'node:fs/promises';
import { packageFolder } from './package-files.ts';

export async function packageVersion(): Promise<string> {
  const manifest = await readFile(new URL('package.json', packageFolder), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
