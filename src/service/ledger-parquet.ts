/**
 * Everything a ledger holds as a folder of Parquet files, one for each kind of row, and back. Columns are the fields of
 * the lines that `renown export` writes; a field with an inner structure is JSON in a column of text.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { type LedgerLine, ledgerLine } from '../core/contract/ledger.ts';
import { type ParquetColumns, ParquetFolder, readParquet } from '../store/parquet.ts';
import type { LedgerRow } from '../store/store.ts';
import { forgetPlaces } from './forget-places.ts';
import { fromLine, type Portable, parseLine, toLine } from './ledger-file.ts';

type Kind = LedgerLine['kind'];

const SHAPES = Object.fromEntries(
  ledgerLine.options.map(({ shape: { kind, ...fields } }) => [kind.value, fields as Fields]),
) as Record<Kind, Fields>;

type Fields = Readonly<Record<string, z.core.$ZodType>>;

export async function exportParquet(store: Portable, folder: string, onRow: () => void): Promise<void> {
  const target = await ParquetFolder.create(folder, mapValues(SHAPES, toColumns));
  try {
    for await (const item of store.upkeep.export()) {
      await target.add(item.kind, toColumnValues(toLine(item)));
      onRow();
    }
  } catch (error) {
    target.abandon();
    throw error;
  }
  await target.finish();
}

/** Rows that are in the ledger already are left alone. A folder may lack a kind. */
export function importParquet(
  store: Portable,
  folder: string,
  onRow: () => void,
): Promise<{ restored: number; present: number }> {
  return store.upkeep.restore(forgetPlaces(readRows(folder, onRow)));
}

async function* readRows(folder: string, onRow: () => void): AsyncGenerator<LedgerRow> {
  for (const kind of Object.keys(SHAPES) as Kind[]) {
    const file = join(folder, `${kind}.parquet`);
    if (!existsSync(file)) continue;
    let number = 0;
    for await (const row of readParquet(file)) {
      number++;
      yield fromLine(parseLine({ kind, ...fromColumnValues(kind, row) }, `${kind}.parquet, row ${number}`));
      onRow();
    }
  }
}

type ColumnType = ParquetColumns[string];

function toColumns(fields: Fields): ParquetColumns {
  return mapValues(fields, (schema) => columnType(schema) ?? 'text');
}

/** Null for a field with an inner structure. */
function columnType(schema: z.core.$ZodType): ColumnType | null {
  const { def } = schema._zod;
  switch (def.type) {
    case 'nullable':
      return columnType((def as z.core.$ZodNullableDef).innerType);
    case 'string':
    case 'enum':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return null;
  }
}

function toColumnValues({ kind, ...line }: LedgerLine) {
  return mapValues(line as Record<string, unknown>, (value, name) =>
    isStructured(kind, name) ? JSON.stringify(value) : (value as string | number | boolean | null),
  );
}

function fromColumnValues(kind: Kind, row: Record<string, unknown>) {
  return mapValues(row, (value, name) =>
    isStructured(kind, name) && typeof value === 'string' ? parseOrLeave(value) : value,
  );
}

/** What is no JSON is left for the schema to refuse, which knows the field's name. */
function parseOrLeave(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isStructured(kind: Kind, name: string): boolean {
  const schema = SHAPES[kind][name];
  return schema !== undefined && columnType(schema) === null;
}

function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
