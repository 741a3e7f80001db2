import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../../bin/renown.js', import.meta.url));

/** Runs the real program as a process of its own. */
export function renown(
  args: string[],
  { input = '', env = {} }: { input?: string | Buffer; env?: object } = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
  return { exit: status, stdout, stderr };
}
