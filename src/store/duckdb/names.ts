/**
 * Words that recur in every evaluation (tools, models, versions, gate suites), each stored once and referred to by a
 * number: setting a number in a row is ten times quicker than setting a text, and takes a tenth of the room.
 */
import { type DuckDBConnection, INTEGER, VARCHAR } from '@duckdb/node-api';
import { query } from './query.ts';
import type { AppendTable, Transaction } from './transaction.ts';

export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  readonly #table: AppendTable;
  #next = 0;

  private constructor(table: string) {
    this.#table = { name: table, types: [INTEGER, VARCHAR] };
  }

  static async load(connection: DuckDBConnection, table: 'names' | 'identity_names'): Promise<Names> {
    const names = new Names(table);
    const rows = await query<{ number: number; name: string }>(
      connection,
      `SELECT number, name FROM ${table}`,
    );
    for (const { number, name } of rows) names.#remember(number, name);
    return names;
  }

  /** The number of a word, given out in this transaction if it is new; null stays null. */
  ensure(transaction: Transaction, name: string | null): number | null {
    if (name === null) return null;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#next;
    this.#remember(number, name);
    transaction.append(this.#table, [number, name]);
    transaction.onRollback(() => {
      this.#numbers.delete(name);
      this.#texts.delete(number);
    });
    return number;
  }

  /** For a filter: a word that no evaluation has gives a number that no row has. */
  numberOf(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  textOf(number: number | null): string | null {
    return number === null ? null : (this.#texts.get(number) ?? null);
  }

  #remember(number: number, name: string): void {
    this.#numbers.set(name, number);
    this.#texts.set(number, name);
    this.#next = Math.max(this.#next, number + 1);
  }
}
