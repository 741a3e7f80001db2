import { existsSync } from 'node:fs';
import type { Verdict } from '../../core/check.ts';
import { parseWith } from '../../core/contract/parse.ts';
import { sessionMetricInput } from '../../core/contract/session-metrics.ts';
import { LIMITS } from '../../core/limits.ts';
import { checkTraces } from '../../service/check.ts';
import { BLOCKED_EXIT, type Command, type CommandInput, UNDECIDED_EXIT, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { parseJsonInput } from '../parse-json-input.ts';
import { readText } from '../read-text.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

interface Answer {
  verdict: Verdict;
  reason: string;
  further_evaluations: number | null;
  score: number;
}

const EXITS: Record<Verdict, number> = { pass: 0, fail: BLOCKED_EXIT, not_enough_evidence: UNDECIDED_EXIT };

export const check: Command = {
  usage: 'check <agent> --min <value> [--max-drop <value>] [--point]',
  arguments: [
    {
      name: '<agent>',
      summary:
        'The id of the agent; with --metric, a file of traces, - for standard input, or the id of a session',
    },
  ],
  options: [
    {
      name: 'min',
      type: 'string',
      summary: 'The lowest score that will do: 0 to 1000, or 0 to 1 with --metric',
    },
    { name: 'point', type: 'boolean', summary: 'Read the bare score instead of the band' },
    { name: 'max-drop', type: 'string', summary: 'The score must not have fallen by more than this' },
    { name: 'since', type: 'string', summary: 'From when a drop is counted; seven days ago without it' },
    { name: 'metric', type: 'string', summary: 'agent_reliability or agent_consistency, of a session' },
    ...API_OPTIONS,
  ],
  examples: [
    {
      says: 'exit code 0, 10 or 11: pass, fail, not enough evidence',
      line: 'renown check support-bot --min 700',
    },
    {
      says: 'the score must not have fallen this week',
      line: 'renown check support-bot --min 700 --max-drop 50',
    },
    { says: 'a file of traces', line: 'renown check session.json --metric agent_reliability --min 0.7' },
    {
      says: 'a session of the ledger',
      line: 'renown check 7f3c2a --metric agent_reliability --min 0.7',
    },
  ],
  async run(input, io) {
    const [subject] = input.positionals;
    if (subject === undefined) throw usageError('Say which agent', 'check');
    const answer =
      input.options.metric === undefined
        ? await checkAgent(subject, input, io)
        : await checkOneSession(subject, input, io);
    if (io.stdout.isTTY && !input.options.json) io.stdout.write(render(answer, io));
    else await writeLine(io.stdout, JSON.stringify(answer));
    return EXITS[answer.verdict];
  },
};

function checkAgent(agentId: string, input: CommandInput, io: Io): Promise<Answer> {
  const { options } = input;
  const body = {
    agent_id: agentId,
    ...(options.min !== undefined && { min: numberOf(options.min, '--min') }),
    ...(options['max-drop'] !== undefined && { max_drop: numberOf(options['max-drop'], '--max-drop') }),
    ...(options.since !== undefined && { since: timeOf(String(options.since)) }),
    ...(options.point === true && { point: true }),
  };
  return withApi(input, io, (api) => api({ method: 'POST', path: '/v1/check', body }));
}

/** A file of traces needs no server and no ledger; what is no file is the id of a session there. */
async function checkOneSession(subject: string, input: CommandInput, io: Io): Promise<Answer> {
  const { metric, min } = input.options;
  if (metric !== 'agent_reliability' && metric !== 'agent_consistency')
    throw usageError('--metric must be agent_reliability or agent_consistency', 'check');
  const asked = { metric, min: numberOf(min, '--min') } as const;
  if (subject !== '-' && !existsSync(subject)) {
    const body = { session_id: subject, ...asked };
    return withApi(input, io, (api) => api({ method: 'POST', path: '/v1/check', body }));
  }
  const { documents } = parseJsonInput(await readText(subject, { io, bytesMax: LIMITS.scoreInputBytesMax }));
  const { traces, signal_weights } = parseWith(sessionMetricInput, documents[0]);
  return checkTraces({ ...asked, traces, signal_weights });
}

function numberOf(text: string | boolean | undefined, name: string): number {
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw usageError(`${name} must be a number`, 'check');
  return value;
}

function timeOf(text: string): number {
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(at)) throw usageError('--since must be a time, as 2026-11-15T08:30:00Z', 'check');
  return at;
}

const WORDS: Record<Verdict, string> = {
  pass: 'Pass',
  fail: 'Fail',
  not_enough_evidence: 'Not enough evidence',
};

function render({ verdict, reason, further_evaluations: more }: Answer, io: Io): string {
  const { bold, red } = styleFor(io.stdout, io.env);
  const head = verdict === 'pass' ? bold(WORDS[verdict]) : red(bold(WORDS[verdict]));
  const outlook = more === null ? '' : ` About ${more} more evaluations would be expected to decide it.`;
  return `${head}. ${reason}${outlook}\n`;
}
