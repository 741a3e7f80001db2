/**
 * Sends verdicts and session scores on to an OpenTelemetry collector, where the operator names one. It follows the
 * evaluations of each org from a place on, and the runs by a note that each leaves when it ends; place and note move only
 * after the collector has taken what they stand for: nothing is lost while it is away, and what was sent in the moment of a
 * crash may come twice. Of several nodes one moves the place, and the others notice.
 */
import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Page, StoredSessionScore } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import { toLogsRequest } from './log-record.ts';
import { toScoreRecord } from './score-record.ts';
import { toVerdictRecord } from './verdict-record.ts';

export const EXPORTED = { kind: 'otlp_export', id: 'verdicts' };
/** A run whose scores have not been exported yet. */
const ENDED_RUN = 'otlp_export_run';

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
  options: ExportOptions,
): Promise<number> {
  let exported = 0;
  for (;;) {
    const stored = await store.documents.get(orgId, EXPORTED.kind, EXPORTED.id);
    const known = stored?.body as { cursor: string } | undefined;
    const { items, cursor } = known
      ? await store.evaluations.since(orgId, known.cursor, LIMITS.streamPageMax)
      : // What lies in the past stays there: exporting begins when it is switched on.
        { items: [], cursor: await store.evaluations.head(orgId) };
    if (known && items.length === 0) return exported;
    if (items.length > 0) {
      await post(
        items.map(({ evaluation }) => toVerdictRecord(orgId, evaluation)),
        options,
      );
    }
    const write = { ...EXPORTED, body: { cursor }, at: clock(), expectedVersion: stored?.version ?? 0 };
    await store.documents.put(orgId, write);
    exported += items.length;
  }
}

/** To be called when a run has ended, where scores are exported. */
export async function noteEndedRun(
  { store, clock }: ServiceContext,
  { orgId, runId }: { orgId: string; runId: string },
): Promise<void> {
  await store.documents.put(orgId, { kind: ENDED_RUN, id: runId, body: null, at: clock() });
}

/** Exports what runs have found since the last time. Throws when the collector does not take it. */
export async function exportScores(
  { store }: ServiceContext,
  orgId: string,
  options: ExportOptions,
): Promise<void> {
  const { items: ended } = await store.documents.list(orgId, ENDED_RUN, { limit: LIMITS.pageSizeMax });
  for (const { id: runId } of ended) {
    let cursor: string | null = null;
    do {
      const request = { limit: LIMITS.streamPageMax, ...(cursor !== null && { cursor }) };
      const page: Page<StoredSessionScore> = await store.sessionScores.list(orgId, { runId }, request);
      if (page.items.length > 0)
        await post(
          page.items.map((score) => toScoreRecord(orgId, score)),
          options,
        );
      cursor = page.nextCursor;
    } while (cursor !== null);
    await store.documents.delete(orgId, ENDED_RUN, runId);
  }
}

async function post(records: readonly object[], { url, version, timeoutMs }: ExportOptions): Promise<void> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toLogsRequest(records, version)),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause) => {
    throw new RenownError('server_unavailable', 'The collector does not answer.', { cause });
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new RenownError('server_unavailable', `The collector answered ${answer.status}.`);
}
