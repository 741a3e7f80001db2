import { basename } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { readConfiguration } from '../../server/configuration.ts';
import { toQuestion } from '../../service/judge-question.ts';
import { JUDGED, SignalJudge } from '../../service/signal-judge.ts';
import { type Extracted, extractSignals } from '../../telemetry/signals/extract-signals.ts';
import { TurnReader } from '../../telemetry/signals/read-turns.ts';
import type { Turn } from '../../telemetry/signals/turn.ts';
import { type Command, usageError } from '../command.ts';
import { readConfigurationFile } from '../configuration-file.ts';
import type { Io } from '../io.ts';
import { readJsonInput } from '../read-json-input.ts';
import { ORG_OPTION, orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';
import { writeLine } from '../write-line.ts';

export const signals: Command = {
  usage: 'signals extract [file] [--save]',
  arguments: [
    { name: 'extract', summary: 'What to do' },
    {
      name: '[file]',
      summary: 'A transcript or chat messages, JSON or JSON Lines; standard input when absent or -',
    },
  ],
  options: [
    {
      name: 'session',
      type: 'string',
      summary: 'The id for messages that name no session; the name of the file without it',
    },
    { name: 'agent', type: 'string', summary: 'The agent whose session it is' },
    { name: 'save', type: 'boolean', summary: 'Keep the signals in the ledger; the texts are never kept' },
    ORG_OPTION,
    STORE_OPTION,
  ],
  examples: [
    {
      says: 'what can be told of a session without a model',
      line: 'renown signals extract transcript.jsonl',
    },
    { says: 'and keep it, for runs to score', line: 'renown signals extract transcript.jsonl --save' },
  ],
  async run(input, io) {
    const [action, file = '-'] = input.positionals;
    const { session, agent, save } = input.options;
    if (action !== 'extract') throw usageError('Say extract', 'signals');
    if (file === '-' && io.stdin.isTTY)
      throw usageError('Name a file, or pipe it in: nothing is coming from standard input', 'signals');
    const { documents } = await readJsonInput(file, { io, bytesMax: LIMITS.scoreInputBytesMax });
    const reader = new TurnReader(String(session ?? basename(file)));
    for (const document of documents) reader.add(document);
    const judge = await openJudge(io);
    const traces: object[] = [];
    for (const turn of reader.turns()) {
      traces.push({
        session_id: turn.sessionId,
        trace_id: turn.traceId,
        ...(agent !== undefined && { agent_id: agent }),
        ...(judge ? await judged(judge, turn) : extractSignals(turn)),
        ...(turn.startedAt !== null && { started_at: turn.startedAt }),
      });
    }
    const faults = Object.entries(judge?.faults ?? {}).map(([kind, count]) => `${kind} ${count}`);
    if (faults.length > 0) io.stderr.write(`renown: The judge gave no answer: ${faults.join(', ')}.\n`);
    if (!save) {
      await writeLine(io.stdout, JSON.stringify({ traces }));
      return;
    }
    await withLedger(input, io, async (ledger) => {
      const orgId = await orgOf(input, ledger, 'signals');
      for (let i = 0; i < traces.length; i += LIMITS.batchMax) {
        const body = { traces: traces.slice(i, i + LIMITS.batchMax) };
        await writeLine(
          io.stdout,
          JSON.stringify(await ledger.ask(orgId, { method: 'POST', path: '/v1/signals', body })),
        );
      }
    });
  },
};

/** The judge that the configuration names; null, as it is by default, where it names none. */
async function openJudge(io: Io): Promise<SignalJudge | null> {
  const file = await readConfigurationFile(undefined);
  const { judgeUrl, judgeModel, judgeKey } = readConfiguration({ flags: {}, env: io.env, file });
  return judgeUrl === '' ? null : new SignalJudge({ url: judgeUrl, model: judgeModel, key: judgeKey });
}

/** What the judge was asked for is left to it: where it does not answer, nobody answers in its place. */
async function judged(judge: SignalJudge, turn: Turn): Promise<Extracted> {
  const seen = extractSignals(turn, { except: JUDGED });
  const said = await judge.measure(toQuestion(turn));
  if (!said) return seen;
  const sources = Object.keys(seen.signals).length === 0 ? [said.source] : [said.source, seen.source];
  const source = sources.join(', ').slice(0, LIMITS.nameLengthMax);
  return { signals: { ...seen.signals, ...said.signals }, source };
}
