import type { z } from 'zod';
import type { explainAnswer } from '../../core/contract/explain.ts';
import { type Command, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { toTime } from '../option-values.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

type Explained = z.infer<typeof explainAnswer>;

/** Lines on a terminal; JSON has them all. */
const LINES_MAX = 20;

export const explain: Command = {
  usage: 'explain <agent> [--since <value>] [--until <value>]',
  arguments: [{ name: '<agent>', summary: 'The id of the agent' }],
  options: [
    { name: 'since', type: 'string', summary: 'The first moment; a day before the second without it' },
    { name: 'until', type: 'string', summary: 'The second moment; now without it' },
    ...API_OPTIONS,
  ],
  examples: [
    { says: 'what moved the score since yesterday', line: 'renown explain support-bot' },
    { says: 'since a release', line: 'renown explain support-bot --since 2026-11-15T08:30:00Z' },
  ],
  async run(input, io) {
    const [agentId] = input.positionals;
    if (agentId === undefined) throw usageError('Say which agent', 'explain');
    const query = new URLSearchParams();
    for (const name of ['since', 'until']) {
      const at = toTime(input.options[name], name, 'explain');
      if (at !== undefined) query.set(name, String(at));
    }
    const path = `/v1/reputation/${encodeURIComponent(agentId)}/explain?${query}`;
    const explained = await withApi(input, io, (api) => api<Explained>({ method: 'GET', path }));
    if (io.stdout.isTTY && !input.options.json) io.stdout.write(render(explained, io));
    else await writeLine(io.stdout, JSON.stringify(explained));
  },
};

function render(explained: Explained, io: Io): string {
  const { bold, dim, red } = styleFor(io.stdout, io.env);
  const { before, after, difference, components, rounding, contributions } = explained;
  const parts = Object.entries({ ...components, rounding }).map(
    ([name, points]) => `  ${name.padEnd(10)} ${signed(points)}`,
  );
  const largest = [...contributions]
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
    .slice(0, LINES_MAX);
  const shown = contributions
    .filter((one) => largest.includes(one))
    .map((one) => {
      const line = `  ${signed(one.points)}  ${one.change} ${one.evaluation_id} (${one.passed ? 'passed' : 'failed'})`;
      return one.points < 0 ? red(line) : line;
    });
  const rest = contributions.length - shown.length;
  return [
    `${bold(`${before} → ${after}`)} (${signed(difference)}) ${dim(`${explained.since} to ${explained.until}`)}`,
    ...parts,
    ...shown,
    ...(rest > 0 ? [dim(`  and ${rest} smaller ones; --json has them all`)] : []),
    '',
  ].join('\n');
}

function signed(points: number): string {
  const text = Number.isInteger(points) ? String(points) : points.toFixed(2);
  return points > 0 ? `+${text}` : text;
}
