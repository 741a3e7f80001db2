/** Signals over HTTP: what others have measured of the traces of sessions. Names and ranges are checked in core. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { agentId, name, optionalName, pageQuery, tags, timeIn, timeOut } from './fields.ts';
import { anyFields } from './parse.ts';

const signalTrace = z.strictObject({
  session_id: name(),
  trace_id: name(),
  agent_id: agentId.nullish(),
  signals: anyFields.meta({
    description:
      'confidence, loop_detection, tool_correctness, coherence: 0–1, 1 is good; null or absent where not known',
  }),
  started_at: timeIn.nullish(),
  tags: tags.nullish(),
  source: optionalName().meta({ description: 'Who measured; `api` when absent' }),
});
export type SignalTrace = z.infer<typeof signalTrace>;

const TRACES_FAULT = `must be 1 to ${LIMITS.batchMax} traces`;

export const signalsRequest = z
  .strictObject({ traces: z.array(signalTrace).min(1, TRACES_FAULT).max(LIMITS.batchMax, TRACES_FAULT) })
  .meta({
    example: {
      traces: [
        {
          session_id: 'session-1',
          trace_id: 'turn-1',
          agent_id: 'support-bot',
          signals: { confidence: 0.88, loop_detection: 0.95, tool_correctness: 0.92, coherence: 0.97 },
        },
      ],
    },
  });

export const signalsAnswer = z.object({
  accepted: z.int(),
  unchanged: z.int().meta({ description: 'Traces that came before in the same words' }),
});

const signals = z.object({
  confidence: z.number().optional(),
  loop_detection: z.number().optional(),
  tool_correctness: z.number().optional(),
  coherence: z.number().optional(),
});

export const sessionTraces = z.object({
  session_id: z.string(),
  agent_id: z.string().nullable(),
  tags: z.array(z.string()),
  revision: z.int().meta({ description: 'Grows with every report that changed something' }),
  last_at: timeOut,
  traces: z.array(
    z.object({
      trace_id: z.string(),
      signals,
      sources: z.record(z.string(), z.string()).meta({ description: 'Who measured each signal' }),
      started_at: timeOut.nullable(),
      tags: z.array(z.string()),
      received_at: timeOut,
    }),
  ),
});

export const signalHistory = z.object({
  items: z.array(
    z.object({
      session_id: z.string(),
      trace_id: z.string(),
      agent_id: z.string().nullable(),
      signals,
      started_at: timeOut.nullable(),
      tags: z.array(z.string()),
      source: z.string(),
      received_at: timeOut,
    }),
  ),
  next_cursor: z.string().nullable(),
});
export const signalHistoryQuery = z.strictObject(pageQuery);
