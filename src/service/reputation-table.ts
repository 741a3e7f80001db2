/**
 * An existing `reputation_events` table, into the ledger: rows with the columns that table has elsewhere, which
 * knows neither orgs nor revisions. Rows come from a Parquet file or from JSON Lines (ClickHouse's JSONEachRow).
 */
import { z } from 'zod';
import { namingPlace, parseWith } from '../core/contract/parse.ts';
import { RenownError } from '../core/errors.ts';
import { type Category, scoreIdentity } from '../core/identity.ts';
import type { LedgerRow } from '../store/store.ts';
import { fromLine, type Portable, parseLine } from './ledger-file.ts';

const row = z.object({
  event_id: z.uuid(),
  timestamp: z.union([z.number(), z.string()]),
  identity_id: z.uuid(),
  category: z.string(),
  event_type: z.string(),
  score_delta: z.number(),
  confidence: z.number().default(1),
  reference_type: z.enum(['', 'session', 'transaction', 'attestation']).default(''),
  reference_id: z.string().default(''),
  attributes: z.union([z.record(z.string(), z.string()), z.string()]).default({}),
  revision: z.int().min(0).default(0),
});

/**
 * Rows that are in the ledger already are left alone. A row that cannot be taken ends it and is named; columns that the
 * table has beside these are left out.
 */
export function importReputationTable(
  store: Portable,
  rows: AsyncIterable<unknown>,
  orgId: string,
): Promise<{ restored: number; present: number }> {
  return store.upkeep.restore(toLedgerRows(rows, orgId));
}

async function* toLedgerRows(rows: AsyncIterable<unknown>, orgId: string): AsyncGenerator<LedgerRow> {
  let number = 0;
  for await (const one of rows) {
    number++;
    const place = `Row ${number}`;
    const fields = namingPlace(place, () => toFields(one));
    yield fromLine(parseLine({ kind: 'reputation_event', org_id: orgId, ...fields }, place));
  }
}

function toFields(one: unknown) {
  const { timestamp, attributes, ...same } = parseWith(row, one);
  const event = { ...same, timestamp: toEpochMs(timestamp), attributes: toAttributes(attributes) };
  const { category, score_delta: scoreDelta, confidence } = event;
  // The score's own function knows which categories and ranges there are.
  scoreIdentity([{ timestamp: event.timestamp, category: category as Category, scoreDelta, confidence }], 0);
  return { ...event, event_id: event.event_id.toLowerCase(), identity_id: event.identity_id.toLowerCase() };
}

/** ClickHouse writes `2026-01-02 03:04:05.678`, in UTC unless the server was told otherwise. */
function toEpochMs(timestamp: number | string): number {
  if (typeof timestamp === 'number') return timestamp;
  const iso = timestamp.replace(' ', 'T');
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

function toAttributes(attributes: Record<string, string> | string): Record<string, string> {
  if (typeof attributes !== 'string') return attributes;
  try {
    return parseWith(z.record(z.string(), z.string()), JSON.parse(attributes === '' ? '{}' : attributes));
  } catch (cause) {
    throw new RenownError('invalid_request', 'attributes must be a map of texts', { cause });
  }
}
