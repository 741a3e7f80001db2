/** Everything a ledger holds as lines of JSON, and back. The lines do not depend on the engine they came from. */
import { type LedgerLine, ledgerLine } from '../core/contract/ledger.ts';
import { namingPlace, parseWith } from '../core/contract/parse.ts';
import { RenownError } from '../core/errors.ts';
import type { LedgerRow, Upkeep } from '../store/store.ts';
import { forgetPlaces } from './forget-places.ts';

/** What a ledger can be read out of and restored into: a store, or a server that has one open. */
export interface Portable {
  upkeep: Pick<Upkeep, 'export' | 'restore'>;
}

export async function* exportLines(store: Portable): AsyncGenerator<string> {
  for await (const row of store.upkeep.export()) yield JSON.stringify(toLine(row));
}

/** Rows that are in the ledger already are left alone. A bad line ends it and is named; what came before it stays. */
export function importLines(
  store: Portable,
  lines: AsyncIterable<string>,
): Promise<{ restored: number; present: number }> {
  return store.upkeep.restore(forgetPlaces(parseLines(lines)));
}

export async function* parseLines(lines: AsyncIterable<string>): AsyncGenerator<LedgerRow> {
  for await (const { number, value } of parseJsonLines(lines)) {
    yield fromLine(parseLine(value, `Line ${number}`));
  }
}

/** What stands on each line that is not empty, with the number of the line. */
export async function* parseJsonLines(
  lines: AsyncIterable<string>,
): AsyncGenerator<{ number: number; value: unknown }> {
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() !== '') yield { number, value: parseJson(text, number) };
  }
}

function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RenownError('invalid_json', `Line ${number} is not JSON.`, { cause });
  }
}

/** `where` is what an error names. */
export function parseLine(line: unknown, where: string): LedgerLine {
  return namingPlace(where, () => parseWith(ledgerLine, line));
}

export function toLine(item: LedgerRow): LedgerLine {
  const { row } = item;
  const line: Record<string, unknown> = {
    kind: item.kind,
    ...('orgId' in item && { org_id: item.orgId }),
    ...toSnake(row),
  };
  if (item.kind === 'key') Object.assign(line, { kind: 'key', key_kind: item.row.kind });
  if (item.kind === 'document') Object.assign(line, { kind: 'document', document_kind: item.row.kind });
  if (item.kind === 'session_event')
    Object.assign(line, { kind: 'session_event', event_kind: item.row.kind });
  if (item.kind === 'evaluation') line.gates = item.row.gates.map(toSnake);
  return line as LedgerLine;
}

/** The schema has seen to it that a line of a kind has the fields of that kind. */
export function fromLine(line: LedgerLine): LedgerRow {
  const { kind, org_id: orgId, ...rest } = line;
  const row = toCamel(rest);
  if (line.kind === 'evaluation') row.gates = line.gates.map(toCamel);
  if (line.kind === 'org') Object.assign(row, { orgId });
  if (line.kind === 'key') {
    delete row.keyKind;
    Object.assign(row, { orgId, kind: line.key_kind });
  }
  if (line.kind === 'document') {
    delete row.documentKind;
    row.kind = line.document_kind;
  }
  if (line.kind === 'session_event') {
    delete row.eventKind;
    row.kind = line.event_kind;
  }
  const isOwn = line.kind === 'org' || line.kind === 'key';
  return (isOwn ? { kind, row } : { kind, orgId, row }) as unknown as LedgerRow;
}

/** `evaluationId` as `evaluation_id`; the names alone, and not those inside of values. */
function toSnake(row: object): Record<string, unknown> {
  return renamed(row, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function toCamel(line: object): Record<string, unknown> {
  return renamed(line, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

function renamed(row: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [rename(name), value]));
}
