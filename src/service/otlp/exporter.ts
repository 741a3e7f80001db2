/**
 * Sends verdicts on to an OpenTelemetry collector, where the operator names one. It follows the ledger of each org from a
 * place on, and moves the place only after the collector has taken what lay before it: nothing is lost while it is away, and
 * what was sent in the moment of a crash may come twice. Of several nodes one moves the place, and the others notice.
 */
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ServiceContext } from '../context.ts';
import { toLogsRequest } from './evaluation-records.ts';

const PLACE = { kind: 'otlp_export', id: 'verdicts' };

export interface ExportOptions {
  /** Of the collector, without `/v1/logs`. */
  url: string;
  version: string;
  timeoutMs: number;
}

/** Exports what has arrived in an org since the last time; answers how many. Throws when the collector does not take it. */
export async function exportVerdicts(
  { store, clock }: ServiceContext,
  orgId: string,
  { url, version, timeoutMs }: ExportOptions,
): Promise<number> {
  let exported = 0;
  for (;;) {
    const stored = await store.documents.get(orgId, PLACE.kind, PLACE.id);
    const known = stored?.body as { cursor: string } | undefined;
    const { items, cursor } = known
      ? await store.evaluations.since(orgId, known.cursor, LIMITS.streamPageMax)
      : // What lies in the past stays there: exporting begins when it is switched on.
        { items: [], cursor: await store.evaluations.head(orgId) };
    if (known && items.length === 0) return exported;
    if (items.length > 0) {
      const body = toLogsRequest(
        items.map(({ evaluation }) => ({ orgId, evaluation })),
        version,
      );
      await post(`${url.replace(/\/+$/, '')}/v1/logs`, body, timeoutMs);
    }
    const write = { ...PLACE, body: { cursor }, at: clock(), expectedVersion: stored?.version ?? 0 };
    await store.documents.put(orgId, write);
    exported += items.length;
  }
}

async function post(url: string, body: object, timeoutMs: number): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause) => {
    throw new RenownError('server_unavailable', 'The collector does not answer.', { cause });
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new RenownError('server_unavailable', `The collector answered ${answer.status}.`);
}
