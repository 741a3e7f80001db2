import { basename } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { extractSignals } from '../../telemetry/signals/extract-signals.ts';
import { TurnReader } from '../../telemetry/signals/read-turns.ts';
import { type Command, usageError } from '../command.ts';
import { parseJsonInput } from '../parse-json-input.ts';
import { readText } from '../read-text.ts';
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
    const { documents } = parseJsonInput(await readText(file, { io, bytesMax: LIMITS.scoreInputBytesMax }));
    const reader = new TurnReader(String(session ?? basename(file)));
    for (const document of documents) reader.add(document);
    const traces = reader.turns().map((turn) => ({
      session_id: turn.sessionId,
      trace_id: turn.traceId,
      ...(agent !== undefined && { agent_id: agent }),
      ...extractSignals(turn),
      ...(turn.startedAt !== null && { started_at: turn.startedAt }),
    }));
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
