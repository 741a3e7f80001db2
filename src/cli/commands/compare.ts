import type { z } from 'zod';
import { COMPARED_BY, type compareAnswer } from '../../core/contract/explain.ts';
import { type Command, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

type Compared = z.infer<typeof compareAnswer>;

export const compare: Command = {
  usage: 'compare <agent> --by <version|model|suite> [--before <value>] [--after <value>]',
  arguments: [{ name: '<agent>', summary: 'The id of the agent' }],
  options: [
    { name: 'by', type: 'string', summary: 'version, model or suite' },
    { name: 'before', type: 'string', summary: 'The earlier one; the last but one to appear without it' },
    { name: 'after', type: 'string', summary: 'The later one; the last to appear without it' },
    ...API_OPTIONS,
  ],
  examples: [{ says: 'whether the new release is worse', line: 'renown compare support-bot --by version' }],
  async run(input, io) {
    const [agentId] = input.positionals;
    if (agentId === undefined) throw usageError('Say which agent', 'compare');
    const { by } = input.options;
    if (by !== undefined && !COMPARED_BY.some((one) => one === by))
      throw usageError(`--by must be one of ${COMPARED_BY.join(', ')}`, 'compare');
    const query = new URLSearchParams();
    for (const name of ['by', 'before', 'after']) {
      const value = input.options[name];
      if (typeof value === 'string') query.set(name, value);
    }
    const path = `/v1/reputation/${encodeURIComponent(agentId)}/compare?${query}`;
    const compared = await withApi(input, io, (api) => api<Compared>({ method: 'GET', path }));
    if (io.stdout.isTTY && !input.options.json) io.stdout.write(render(compared, io));
    else await writeLine(io.stdout, JSON.stringify(compared));
  },
};

function render({ by, before, after, difference }: Compared, io: Io): string {
  const { bold, dim } = styleFor(io.stdout, io.env);
  if (!before || !after || !difference) return `No two of a ${by} to compare.\n`;
  const side = (one: NonNullable<Compared['after']>) =>
    `  ${one.value}  ${percent(one.pass_rate)} of ${one.evaluations} passed ${dim(`(${percent(one.pass_rate_low)} to ${percent(one.pass_rate_high)})`)}`;
  const tells = difference.low > 0 || difference.high < 0;
  const verdict = tells ? (difference.high < 0 ? 'Worse.' : 'Better.') : 'No difference can be told yet.';
  const interval = `${points(difference.low)} to ${points(difference.high)}`;
  return [
    side(before),
    side(after),
    `${bold(verdict)} ${points(difference.pass_rate)} ${dim(`(95 %: ${interval})`)}`,
    '',
  ].join('\n');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function points(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} points`;
}
