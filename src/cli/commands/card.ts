import type { z } from 'zod';
import type { agentCard } from '../../core/contract/agent.ts';
import { type Command, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { printable } from '../printable.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

type Card = z.infer<typeof agentCard>;

export const card: Command = {
  usage: 'card <agent>',
  arguments: [{ name: '<agent>', summary: 'The id of the agent' }],
  options: API_OPTIONS,
  examples: [{ says: 'all five scores of an agent', line: 'renown card claude-code' }],
  async run(input, io) {
    const [agentId] = input.positionals;
    if (agentId === undefined) throw usageError('Say which agent', 'card');
    const path = `/v1/agents/${encodeURIComponent(agentId)}/card`;
    const found = await withApi(input, io, (api) => api<Card>({ path }));
    if (io.stdout.isTTY && !input.options.json) io.stdout.write(render(found, io));
    else await writeLine(io.stdout, JSON.stringify(found));
  },
};

function render({ agent, scores }: Card, io: Io): string {
  const { bold, dim } = styleFor(io.stdout, io.env);
  const { reputation, performance, identity } = scores;
  const sessions = (figures: Card['scores']['agent_reliability']) =>
    figures?.mean == null ? null : `${figures.mean.toFixed(4)} over ${figures.sessions} sessions`;
  const lines: [string, string | null][] = [
    [
      'reputation',
      reputation.eval_count === 0
        ? null
        : `${reputation.score} ${reputation.lifecycle}, ${reputation.eval_count} evaluations`,
    ],
    ['agent_reliability', sessions(scores.agent_reliability)],
    ['agent_consistency', sessions(scores.agent_consistency)],
    [
      'performance',
      performance &&
        `${performance.composite.toFixed(1)} in the middle of ${performance.sessions} sessions: ${performance.keep} keep, ${performance.review} review, ${performance.doff} doff`,
    ],
    [
      'identity',
      identity && `${identity.overall_score.toFixed(3)}, ${identity.total_events} events in 90 days`,
    ],
  ];
  return [
    '',
    `  ${bold(printable(agent.display_name ?? agent.agent_id))}  ${dim(agent.identity_id)}`,
    '',
    ...lines.map(([name, text]) => `  ${name.padEnd(18)} ${text ?? dim('nothing measured yet')}`),
    '',
    '',
  ].join('\n');
}
