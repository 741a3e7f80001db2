/** Waits for a run to end, with a bar that fills up on a terminal. */
import type { RunAnswer } from '../core/contract/session-run.ts';
import type { Io } from './io.ts';
import type { Ledger } from './ledger.ts';

const LOOK_EVERY_MS = 100;
const BAR_WIDTH = 30;

export async function followRun(
  ledger: Ledger,
  orgId: string,
  { runId, io }: { runId: string; io: Io },
): Promise<RunAnswer> {
  for (;;) {
    const run = await ledger.ask<RunAnswer>(orgId, { path: `/v1/session-runs/${encodeURIComponent(runId)}` });
    if (io.stderr.isTTY) io.stderr.write(`\r${renderBar(run)}`);
    if (run.finished_at !== null) {
      if (io.stderr.isTTY) io.stderr.write('\n');
      return run;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export function renderBar({
  state,
  progress: { selected, evaluated, unchanged, failed },
}: RunAnswer): string {
  if (selected === null) return `${state}: choosing sessions`;
  const done = evaluated + unchanged + failed;
  const filled = selected === 0 ? BAR_WIDTH : Math.round((done / selected) * BAR_WIDTH);
  const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
  return `${bar} ${done.toLocaleString('en')} of ${selected.toLocaleString('en')} sessions, ${failed} failed`;
}
