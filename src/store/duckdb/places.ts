/**
 * Places in the tables that are read in the order of arrival. A place is never given out twice, not even that of a row which
 * was removed: windows remember by it how far they reach, and whoever follows the ledger where to go on. The rows tell
 * how far the ledger has got, as long as none is removed; whoever removes some writes that down with it.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { query } from './query.ts';
import type { Transaction } from './transaction.ts';

export interface Place {
  nextSeq: number;
}

export class Places {
  readonly #places = new Map<string, Place>();

  /** Where a table goes on. `known` is what else tells that it has got so far. */
  async open(connection: DuckDBConnection, table: string, known = -1): Promise<Place> {
    const [last] = await query<{ seq: number }>(
      connection,
      `SELECT greatest(${known}, coalesce(max(seq), -1),
         coalesce((SELECT max(value::DOUBLE) FROM meta WHERE name = '${noteOf(table)}'), -1)) AS seq FROM ${table}`,
    );
    const place = { nextSeq: (last?.seq ?? -1) + 1 };
    this.#places.set(table, place);
    return place;
  }

  /** To be called in every transaction that removes rows. */
  async keep(transaction: Transaction): Promise<void> {
    for (const [table, { nextSeq }] of this.#places) {
      await transaction.run(`DELETE FROM meta WHERE name = '${noteOf(table)}'`);
      await transaction.run(`INSERT INTO meta VALUES ('${noteOf(table)}', '${nextSeq - 1}')`);
    }
  }
}

function noteOf(table: string): string {
  return `reached_${table}`;
}
