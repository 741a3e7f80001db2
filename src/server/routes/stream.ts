import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Caller, ServiceContext } from '../../service/context.ts';
import { follow, type Happening } from '../../service/follow.ts';
import type { Metrics } from '../metrics.ts';
import { type Route, route } from '../route.ts';

/** A place in the ledger, percent-encoded: on ClickHouse it holds the id of an evaluation, which may be any text. */
const PLACE = /^[\w.!~*'()%-]{1,2000}$/;

export function streamRoutes(context: ServiceContext, metrics: Metrics): Route[] {
  /** By who has opened them, so that one key does not take them all. */
  const openBy = new Map<string, number>();
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
      headers: { 'Last-Event-ID': 'The last id that was received: nothing after it is missed.' },
      answers: { 200: { description: 'Events without end', type: 'text/event-stream' } },
      async handle({ caller, query, request }) {
        const last = request.headers['last-event-id'];
        const after = query.after ?? (last === undefined ? undefined : String(last));
        if (after !== undefined && !PLACE.test(after)) {
          throw new RenownError('invalid_request', 'Last-Event-ID is no id of this stream.');
        }
        const place = after === undefined ? undefined : decodePlace(after);
        // The ledger refuses a place that it never gave out; once the stream has begun it is too late to say so.
        if (place !== undefined) await context.store.evaluations.since(caller.orgId, place, 1);
        if (metrics.streamsOpen >= LIMITS.streamsMax) {
          throw new RenownError(
            'server_unavailable',
            `${LIMITS.streamsMax} streams are open. Try again later.`,
          );
        }
        const own = openBy.get(caller.actor) ?? 0;
        if (own >= LIMITS.streamsPerKeyMax) {
          throw new RenownError(
            'rate_limited',
            `${LIMITS.streamsPerKeyMax} streams are open with this key. Close one first.`,
          );
        }
        return {
          text: { type: 'text/event-stream; charset=utf-8', body: '' },
          headers: ['X-Accel-Buffering', 'no'],
          async stream({ response, gone }) {
            metrics.streamsOpen++;
            openBy.set(caller.actor, (openBy.get(caller.actor) ?? 0) + 1);
            const mayGoOn = createKeyCheck(context, caller);
            try {
              for await (const happening of follow(context, caller, { after: place, gone })) {
                if (!(await mayGoOn())) return;
                await write(response, toText(happening), gone);
              }
            } finally {
              metrics.streamsOpen--;
              const left = (openBy.get(caller.actor) ?? 1) - 1;
              if (left === 0) openBy.delete(caller.actor);
              else openBy.set(caller.actor, left);
            }
          },
        };
      },
    }),
  ];
}

/** A stream outlives the request that opened it, and must not outlive its key. Whoever came without one may stay. */
function createKeyCheck({ store, clock }: ServiceContext, { orgId, actor }: Caller): () => Promise<boolean> {
  let checkedAt = clock();
  return async () => {
    if (clock() - checkedAt < LIMITS.keyTrustMs) return true;
    checkedAt = clock();
    const key = (await store.keys.list(orgId)).find(({ keyId }) => keyId === actor);
    return key === undefined || key.revokedAt === null;
  };
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
