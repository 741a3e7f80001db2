/** The one door to the server: statements with bound parameters, and inserts that may be sent again. */
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { LIMITS } from '../../core/limits.ts';
import { toStoreError } from './errors.ts';
import type { Location } from './location.ts';

export type Parameters = Record<string, unknown>;

export class Connection {
  readonly #client: ClickHouseClient;
  readonly location: Location;

  constructor(location: Location) {
    const { url, username, password, database, cluster, timeoutMs } = location;
    this.location = location;
    this.#client = createClient({
      url,
      username,
      password,
      database,
      application: 'renown',
      request_timeout: timeoutMs,
      // A list of ids can be longer than a URL may be.
      use_multipart_params_auto: true,
      // Failures come to us as errors; the client need not write them to the console as well.
      log: { level: 127 },
      // In a cluster a question inside a question goes to all shards, and an insert is down before it is acknowledged.
      clickhouse_settings: cluster
        ? { distributed_product_mode: 'global', distributed_foreground_insert: 1 }
        : {},
    });
  }

  async query<T>(query: string, query_params: Parameters = {}): Promise<T[]> {
    const ask = async () => {
      const result = await this.#client.query({ query, query_params, format: 'JSONEachRow' });
      return result.json<T>();
    };
    try {
      // A socket that the server has closed in the meantime tells so only when it is used.
      return await ask().catch((error) => (error?.code === 'ECONNRESET' ? ask() : Promise.reject(error)));
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** The same, row by row: for tables larger than memory. */
  async *stream<T>(query: string, query_params: Parameters = {}): AsyncGenerator<T> {
    try {
      const result = await this.#client.query({ query, query_params, format: 'JSONEachRow' });
      for await (const rows of result.stream<T>()) for (const row of rows) yield row.json();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** A quick look, where a statement would wait for its whole time. */
  async isThere(): Promise<boolean> {
    const { success } = await this.#client.ping({
      select: false,
      abort_signal: AbortSignal.timeout(LIMITS.clickhousePingMs),
    });
    return success;
  }

  async command(query: string, query_params: Parameters = {}): Promise<void> {
    try {
      await this.#client.command({ query, query_params });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /**
   * All rows in one block, so all or none. With a token, the same insert sent again is taken once, also by the
   * materialized views, so that one which was cut off half-way is completed by its repetition.
   */
  async insert(table: string, values: readonly object[], token?: string): Promise<void> {
    if (values.length === 0) return;
    try {
      await this.#client.insert({
        table,
        values: [...values],
        format: 'JSONEachRow',
        clickhouse_settings: {
          async_insert: 0,
          ...(token && {
            insert_deduplication_token: token,
            deduplicate_blocks_in_dependent_materialized_views: 1,
          }),
        },
      });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Rows are gone when this resolves. */
  delete(table: string, where: string, parameters: Parameters = {}): Promise<void> {
    return this.command(`DELETE FROM ${this.#everywhere(table)} WHERE ${where}`, parameters);
  }

  truncate(table: string): Promise<void> {
    return this.command(`TRUNCATE TABLE ${this.#everywhere(table)}`);
  }

  /** The table that holds rows itself. */
  localName(table: string): string {
    return this.location.cluster ? `${table}_local` : table;
  }

  #everywhere(table: string): string {
    const { cluster } = this.location;
    return cluster ? `${this.localName(table)} ON CLUSTER ${cluster}` : table;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
