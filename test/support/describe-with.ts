import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';

/** A program that a suite needs and a machine may lack. */
export interface Tool {
  name: string;
  /** A command line that succeeds where the tool is usable. */
  probe: readonly [command: string, ...args: string[]];
  install: string;
  /** False for what CI can do without, which needs a reason where it is set. */
  required?: false;
}

/**
 * A suite that runs where its tool is. Elsewhere it is skipped and says so, unless RENOWN_TEST_REQUIRE=all, as in CI:
 * then a missing tool is a failure, because a check that silently did not run is worse than none.
 */
export function describeWith(tool: Tool, name: string, suite: () => void): void {
  const [command, ...args] = tool.probe;
  const usable = spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  const required = process.env.RENOWN_TEST_REQUIRE === 'all' && tool.required !== false;
  if (!usable && required) {
    it(name, () => {
      throw new Error(`${tool.name} is missing and RENOWN_TEST_REQUIRE=all requires it: ${tool.install}`);
    });
    return;
  }
  describe.skipIf(!usable)(usable ? name : `${name} (skipped: no ${tool.name}; ${tool.install})`, suite);
}
