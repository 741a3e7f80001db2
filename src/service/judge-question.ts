/** What a judge is asked: as much of a turn as it is shown, and the hash of the whole, which tells turns apart. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../core/limits.ts';
import type { Turn } from '../telemetry/signals/turn.ts';

export interface Question {
  text: string;
  hash: string;
}

export function toQuestion({ request, answers, calls }: Turn): Question {
  const called = calls.map(({ name, input, output, ok }) => ({ tool: name, input, output, ok }));
  const parts = [`request: ${JSON.stringify(request)}`, `answers: ${JSON.stringify(answers)}`];
  parts.push(`calls: ${JSON.stringify(called)}`);
  const hash = createHash('sha256').update(parts.join('\n')).digest('hex');
  // One character between two parts.
  return { text: cutToShares(parts, LIMITS.judgeTextLengthMax - parts.length + 1).join('\n'), hash };
}

/** Each cut to its share of the room; what a short one leaves goes to the longer ones. */
function cutToShares(parts: readonly string[], room: number): string[] {
  const fitted = [...parts];
  let left = room;
  const shortestFirst = [...parts.entries()].sort(([, a], [, b]) => a.length - b.length);
  shortestFirst.forEach(([i, part], done) => {
    const cut = part.slice(0, Math.floor(left / (parts.length - done)));
    fitted[i] = cut;
    left -= cut.length;
  });
  return fitted;
}
