/**
 * Reputation, checks and session scores as MCP tools, so that an agent can ask whom it deals with before it does. They
 * read and never write; what a tool answers is the JSON of the API.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { scoreConsistency } from '../core/consistency.ts';
import { agentId } from '../core/contract/fields.ts';
import { toSessionScoreWire, toTraces, toWeightOverrides } from '../core/contract/session-metrics.ts';
import { RenownError, toErrorBody, toRenownError } from '../core/errors.ts';
import { quadrantOf } from '../core/quadrant.ts';
import { scoreReliability } from '../core/reliability.ts';
import { toSessionSignals } from '../core/signals.ts';
import type { Api } from './with-api.ts';

/** What `sessionMetricInput` takes, in words that JSON Schema has; names and ranges are refused by the scores. */
const session = z.object({
  session_id: z.string().optional().describe('A session of the ledger'),
  traces: z
    .array(z.object({ trace_id: z.string(), signals: z.looseObject({}) }))
    .optional()
    .describe('In place of session_id, for a session that the ledger does not know'),
  signal_weights: z.looseObject({}).optional(),
});
const annotations = { readOnlyHint: true, openWorldHint: false };

export function createMcpTools(api: Api, version: string): McpServer {
  const server = new McpServer({ name: 'renown', version });
  server.registerTool(
    'get_reputation',
    {
      description:
        'The reputation of an agent: its score from 0 to 1000, the band that the score is sure to, and what it is made from.',
      inputSchema: z.object({ agent_id: agentId }),
      annotations,
    },
    ({ agent_id }) =>
      answer(() => api({ method: 'GET', path: `/v1/reputation/${encodeURIComponent(agent_id)}` })),
  );
  server.registerTool(
    'check',
    {
      description:
        'Whether an agent is good enough: pass, fail or not_enough_evidence, from the band of its score and not from the bare number. Give agent_id with min or max_drop; or of a session metric and min with session_id or traces.',
      // Which of them go together the API knows, and says: the input of a tool is one object, and no choice of several.
      inputSchema: session.extend({
        agent_id: agentId.optional(),
        min: z.number().optional().describe('The lowest score that will do: 0 to 1000, of a session 0 to 1'),
        max_drop: z.number().optional().describe('How far it may have fallen in seven days, or since then'),
        since: z.string().optional().describe('From when a drop is counted, as 2026-11-15T08:30:00Z'),
        point: z.boolean().optional().describe('Reads the bare score instead of the band'),
        metric: z.enum(['agent_reliability', 'agent_consistency']).optional().describe('Of a session'),
      }),
      annotations,
    },
    (body) => answer(() => api({ method: 'POST', path: '/v1/check', body })),
  );
  server.registerTool(
    'judge_session',
    {
      description:
        'How reliable and how consistent a session was: one of the ledger by its session_id, or any by the signals of its traces, each from 0 to 1 where 1 is good: confidence, loop_detection, tool_correctness, coherence.',
      inputSchema: session,
      annotations,
    },
    (input) => answer(async () => judge(await withTraces(input, api))),
  );
  return server;
}

type Session = z.infer<typeof session>;

interface KnownSession extends Pick<Session, 'signal_weights'> {
  traces: NonNullable<Session['traces']>;
}

async function withTraces({ session_id, traces, signal_weights }: Session, api: Api): Promise<KnownSession> {
  if ((session_id === undefined) === (traces === undefined))
    throw new RenownError('invalid_request', 'Give session_id or traces, and one of them only.');
  if (traces) return { traces, signal_weights };
  const path = `/v1/sessions/${encodeURIComponent(String(session_id))}/traces`;
  return { traces: (await api<KnownSession>({ path })).traces, signal_weights };
}

function judge(input: KnownSession) {
  const signals = toSessionSignals(toTraces(input));
  const weights = toWeightOverrides(input);
  const [reliability, consistency] = [
    scoreReliability(signals, { weights }),
    scoreConsistency(signals, { weights }),
  ];
  return {
    agent_reliability: toSessionScoreWire(reliability),
    agent_consistency: toSessionScoreWire(consistency),
    quadrant: quadrantOf(reliability, consistency),
  };
}

/** A refusal is an answer too: the agent that asked can read it and ask better. */
async function answer(ask: () => Promise<unknown>) {
  try {
    return { content: [{ type: 'text' as const, text: JSON.stringify(await ask()) }] };
  } catch (thrown) {
    const { request_id: _, ...body } = toErrorBody(toRenownError(thrown), '');
    return { content: [{ type: 'text' as const, text: JSON.stringify(body) }], isError: true };
  }
}
