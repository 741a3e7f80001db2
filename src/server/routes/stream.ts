import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ServiceContext } from '../../service/context.ts';
import { follow, type Happening } from '../../service/follow.ts';
import type { Metrics } from '../metrics.ts';
import { type Route, route } from '../route.ts';

/** A place in the ledger, percent-encoded: on ClickHouse it holds the id of an evaluation, which may be any text. */
const PLACE = /^[\w.!~*'()%-]{1,2000}$/;

export function streamRoutes(context: ServiceContext, metrics: Metrics): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/stream',
      access: 'pk',
      tag: 'Stream',
      summary: 'Follow evaluations and score changes as they happen',
      description:
        'Server-sent events: `evaluation` with the stored evaluation, `score` with agent_id, score, lifecycle and eval_count. ' +
        'Send the last id again as Last-Event-ID, or as `after`, and nothing in between is missed.',
      query: z.strictObject({ after: z.string().regex(PLACE, 'must be an id of this stream').optional() }),
      answers: { 200: { description: 'Events without end', type: 'text/event-stream' } },
      handle({ caller, query, request }) {
        const last = request.headers['last-event-id'];
        const after = query.after ?? (last === undefined ? undefined : String(last));
        if (after !== undefined && !PLACE.test(after)) {
          throw new RenownError('invalid_request', 'Last-Event-ID is no id of this stream.');
        }
        const place = after === undefined ? undefined : decodePlace(after);
        if (metrics.streamsOpen >= LIMITS.streamsMax) {
          throw new RenownError(
            'server_unavailable',
            `${LIMITS.streamsMax} streams are open. Try again later.`,
          );
        }
        return {
          text: { type: 'text/event-stream; charset=utf-8', body: '' },
          headers: ['X-Accel-Buffering', 'no'],
          async stream({ response, gone }) {
            metrics.streamsOpen++;
            try {
              for await (const happening of follow(context, caller, { after: place, gone })) {
                await write(response, toText(happening), gone);
              }
            } finally {
              metrics.streamsOpen--;
            }
          },
        };
      },
    }),
  ];
}

function toText(happening: Happening): string {
  if (happening.kind === 'idle') return ':\n\n';
  if (happening.kind === 'ready')
    return `retry: 2000\nid: ${encodeURIComponent(happening.cursor)}\nevent: ready\ndata: {}\n\n`;
  const id = happening.kind === 'evaluation' ? `id: ${encodeURIComponent(happening.cursor)}\n` : '';
  return `${id}event: ${happening.kind}\ndata: ${JSON.stringify(happening.data)}\n\n`;
}

function decodePlace(place: string): string {
  try {
    return decodeURIComponent(place);
  } catch (cause) {
    throw new RenownError('invalid_request', 'The id is none of this stream.', { cause });
  }
}

/** Waits for a slow reader; what it has not taken stays in the ledger, and in no memory. */
async function write(response: ServerResponse, text: string, gone: AbortSignal): Promise<void> {
  if (gone.aborted || response.write(text)) return;
  await once(response, 'drain', { signal: gone }).catch(() => undefined);
}
