import { existsSync } from 'node:fs';
import type { Verdict } from '../../core/check.ts';
import { parseWith } from '../../core/contract/parse.ts';
import { sessionMetricInput } from '../../core/contract/session-metrics.ts';
import { LIMITS } from '../../core/limits.ts';
import { checkTraces } from '../../service/check.ts';
import { BLOCKED_EXIT, type Command, type CommandInput, UNDECIDED_EXIT, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { namingOptions } from '../naming-options.ts';
import { toNumber, toTime } from '../option-values.ts';
import { readJsonInput } from '../read-json-input.ts';
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

async function checkAgent(agentId: string, input: CommandInput, io: Io): Promise<Answer> {
  const { options } = input;
  const [min, maxDrop] = [numberOf(options, 'min'), numberOf(options, 'max-drop')];
  const since = toTime(options.since, 'since', 'check');
  if (min === undefined && maxDrop === undefined)
    throw usageError('Give a minimum with --min, or a largest fall with --max-drop', 'check');
  const body = {
    agent_id: agentId,
    ...(min !== undefined && { min }),
    ...(maxDrop !== undefined && { max_drop: maxDrop }),
    ...(since !== undefined && { since }),
    ...(options.point === true && { point: true }),
  };
  return ask(body, input, io);
}

/** Fields of the request that have another name on the command line. */
const OPTION_NAMES = { agent_id: '<agent>', session_id: '<agent>', min: '--min', max_drop: '--max-drop' };

function ask(body: object, input: CommandInput, io: Io): Promise<Answer> {
  return withApi(input, io, (api) =>
    namingOptions(OPTION_NAMES, () => api({ method: 'POST', path: '/v1/check', body })),
  );
}

/** A file of traces needs no server and no ledger; what is no file is the id of a session there. */
async function checkOneSession(subject: string, input: CommandInput, io: Io): Promise<Answer> {
  const { metric } = input.options;
  if (metric !== 'agent_reliability' && metric !== 'agent_consistency')
    throw usageError('--metric must be agent_reliability or agent_consistency', 'check');
  const min = numberOf(input.options, 'min');
  if (min === undefined) throw usageError('Give a minimum with --min', 'check');
  const asked = { metric, min } as const;
  if (!isFile(subject)) return ask({ session_id: subject, ...asked }, input, io);
  const { documents } = await readJsonInput(subject, { io, bytesMax: LIMITS.scoreInputBytesMax });
  const { traces, signal_weights } = parseWith(sessionMetricInput, documents[0]);
  return namingOptions(OPTION_NAMES, async () => checkTraces({ ...asked, traces, signal_weights }));
}

/** One that is written as a path and not there cannot be read; it is no session. Ids may have slashes within. */
function isFile(subject: string): boolean {
  return subject === '-' || existsSync(subject) || /^\.{0,2}[\\/]|\.(?:jsonl?|ndjson)$/i.test(subject);
}

function numberOf(options: CommandInput['options'], name: string): number | undefined {
  return toNumber(options[name], name, 'check');
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
