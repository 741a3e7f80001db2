import type { SessionScoresAnswer } from '../../core/contract/session-score.ts';
import { RenownError } from '../../core/errors.ts';
import { type Command, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { ORG_OPTION, orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';
import { writeLine } from '../write-line.ts';

type Score = SessionScoresAnswer['scores'][number];

export const session: Command = {
  usage: 'session show <id>',
  arguments: [
    { name: 'show', summary: 'What to do' },
    { name: '<id>', summary: 'The id of the session' },
  ],
  options: [ORG_OPTION, STORE_OPTION],
  examples: [{ says: 'how a session went, and where it went wrong', line: 'renown session show session-1' }],
  async run(input, io) {
    const [action, id] = input.positionals;
    if (action !== 'show' || id === undefined) throw usageError('Say show, and which session', 'session');
    await withLedger(input, io, async (ledger) => {
      const orgId = await orgOf(input, ledger, 'session');
      const scores = await ledger.ask<SessionScoresAnswer>(orgId, {
        path: `/v1/sessions/${encodeURIComponent(id)}/scores`,
      });
      if (scores.scores.length === 0) {
        throw new RenownError(
          'not_found',
          `No run has scored a session ${id}. Score it: renown run start --sessions ${id}`,
        );
      }
      const forPeople = io.stdout.isTTY && !input.options.json;
      await writeLine(io.stdout, forPeople ? render(scores, io) : JSON.stringify(scores));
    });
  },
};

function render({ session_id, agent_id, quadrant, scores }: SessionScoresAnswer, io: Io): string {
  const { bold, dim } = styleFor(io.stdout, io.env);
  return [
    `${bold(session_id)}${agent_id === null ? '' : dim(` of ${agent_id}`)}`,
    `  ${quadrant ?? 'no quadrant: nothing was seen for one metric or both'}`,
    ...scores.map((score) => `  ${score.metric.padEnd(18)} ${figureOf(score)}  ${score.reason}`),
    ...scores.flatMap(flaggedLines),
  ].join('\n');
}

/** A score that nothing stands behind is no number. */
function figureOf({ score, evidence, passed }: Score): string {
  if (evidence === 'none') return 'nothing seen';
  return `${score.toFixed(4)} ${passed ? 'passed' : 'failed'}${evidence === 'partial' ? ', from partial evidence' : ''}`;
}

interface Metadata {
  flagged_traces?: string[];
  per_trace_signals?: Record<string, Record<string, number>>;
}

/** Each flagged trace with its risks, the largest first: that is why. */
function flaggedLines({ metadata }: Score): string[] {
  const { flagged_traces: flagged = [], per_trace_signals: traces = {} } = (metadata ?? {}) as Metadata;
  if (flagged.length === 0) return [];
  return [
    '  flagged:',
    ...flagged.map((traceId) => {
      const risks = Object.entries(traces[traceId] ?? {}).filter(([name]) => name !== 'step_risk');
      const why = risks
        .sort(([, a], [, b]) => b - a)
        .map(([name, risk]) => `${name.replace('_risk', '')} ${risk.toFixed(2)}`);
      return `    ${traceId}  risk of ${why.join(', ')}`;
    }),
  ];
}
