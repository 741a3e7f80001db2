/** `npm run bench -- <suite>`: runs one suite, or lists them. Numbers are only worth something on an idle machine. */
import { availableParallelism, loadavg } from 'node:os';

const SUITES: Record<string, () => Promise<{ run(args: string[]): void | Promise<void> }>> = {
  core: () => import('./core.ts'),
  store: () => import('./store.ts'),
  runs: () => import('./runs.ts'),
  http: () => import('./http.ts'),
  gates: () => import('./gates.ts'),
  judge: () => import('./judge.ts'),
  otlp: () => import('./otlp.ts'),
  dashboard: () => import('./dashboard.ts'),
};

const name = process.argv[2] ?? '';
const load = SUITES[name];
if (load) {
  const [busy = 0] = loadavg();
  process.stdout.write(
    `Node ${process.version} on ${process.platform}-${process.arch}, ${availableParallelism()} cores\n`,
  );
  if (busy > 0.7)
    process.stdout.write(`The load is ${busy.toFixed(2)}: expect these numbers to be worse than they are.\n`);
  await (await load()).run(process.argv.slice(3));
} else {
  process.stderr.write(
    `Say which suite: ${Object.keys(SUITES).join(', ')}. For example: npm run bench -- core\n`,
  );
  process.exitCode = 2;
}
