import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';

/** Rows as plain objects. Statements that count cast to DOUBLE, because a BIGINT would come as a bigint. */
export async function query<T>(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<T[]> {
  const reader = await connection.runAndReadAll(sql, values);
  return reader.getRowObjectsJS() as T[];
}

/** A list of numbers for `IN`; numbers only, so nothing in it can be mistaken for SQL. */
export function numberList(numbers: Iterable<number>): string {
  return [...numbers].map(Number).join(', ') || 'NULL';
}

/** The same, chunk by chunk: for tables larger than memory. */
export async function* streamRows<T>(connection: DuckDBConnection, sql: string): AsyncGenerator<T> {
  const result = await connection.stream(sql);
  for await (const rows of result.yieldRowObjectJs()) yield* rows as T[];
}
