/** Decisions as lines of JSON, one file a day. Nothing of a payload is in them, and only their owner may read them. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutDetails } from '../gates/evaluation-result.ts';
import type { Decision } from './decision.ts';

export interface DecisionLog {
  decision(decision: Decision, dryRun: boolean): void;
  note(note: object): void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/** Lines that wait are written together; a disk that fails is told once and stops no tool call. */
export function openDecisionLog(
  folder: string,
  { now, warn }: { now(): number; warn(text: string): void },
): DecisionLog {
  let waiting = '';
  let writing: Promise<void> | undefined;
  let failed = false;

  const write = async () => {
    while (waiting !== '') {
      const text = waiting;
      waiting = '';
      const file = join(folder, `${new Date(now()).toISOString().slice(0, 10)}.jsonl`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await appendFile(file, text, { mode: 0o600 });
      } catch (error) {
        if (!failed)
          warn(`Decisions cannot be logged to ${file} (${(error as NodeJS.ErrnoException).code}).`);
        failed = true;
      }
    }
    writing = undefined;
  };
  const add = (line: object) => {
    waiting += `${JSON.stringify(line)}\n`;
    writing ??= write();
  };
  return {
    decision({ evaluation, direction, latencyMs }, dryRun) {
      const { timestamp, ...rest } = withoutDetails(evaluation);
      add({
        timestamp: new Date(timestamp).toISOString(),
        ...rest,
        direction,
        latency_ms: latencyMs,
        ...(dryRun && { dry_run: true }),
      });
    },
    note: (note) => add({ timestamp: new Date(now()).toISOString(), ...note }),
    close: async () => writing,
  };
}
