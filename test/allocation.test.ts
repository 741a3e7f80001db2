import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Two million pushes onto a full window in a process of its own, with room for all they might leave behind, so that no
 * collection hides it. Whole latencies, because handing a fraction to a function makes V8 box it at the call.
 */
const PROGRAM = `
  import { ReputationWindow } from './dist/core/index.js';
  const window = new ReputationWindow();
  const push = (count) => { for (let i = 0; i < count; i++) window.push(i % 20 !== 0, i % 17); };
  push(300_000);
  gc();
  const before = process.memoryUsage().heapUsed;
  push(2_000_000);
  console.log((process.memoryUsage().heapUsed - before) / 2_000_000);
`;

it('a push onto a full window allocates nothing', () => {
  const { stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-semi-space-size=256', '--input-type=module', '--eval', PROGRAM],
    { cwd: new URL('..', import.meta.url), encoding: 'utf8' },
  );
  // The smallest object takes 16 bytes; what is left is the noise of the measurement itself.
  expect(Number.parseFloat(stdout)).toBeLessThan(1);
});
