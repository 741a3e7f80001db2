/**
 * Empty ledgers on one ClickHouse, for tests. Making the tables of a database is dear under emulation, so one that was let
 * go is emptied and used again.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type RunningClickhouse, startClickhouse } from './start.ts';

export interface Ledger {
  url: string;
  database: string;
  spoolDir: string;
}

export class Ledgers {
  readonly #engine: RunningClickhouse;
  readonly client: ClickHouseClient;
  readonly #free: string[] = [];
  #made = 0;

  private constructor(engine: RunningClickhouse) {
    this.#engine = engine;
    this.client = createClient({ url: engine.url, log: { level: 127 }, request_timeout: 300_000 });
  }

  static async start(): Promise<Ledgers> {
    return new Ledgers(await startClickhouse());
  }

  /** Of the engine. */
  get url(): string {
    return this.#engine.url;
  }

  /** Where an empty ledger is. */
  async take(): Promise<Ledger> {
    const database = this.#free.pop() ?? `renown_test_${process.pid}_${this.#made++}`;
    const url = this.#engine.url.replace(/^http/, 'clickhouse').replace(/^clickhouses/, 'clickhouse+https');
    return {
      // An emulated engine on a busy machine is slow, and not away.
      url: `${url.replace(/\/$/, '')}/${database}?timeout_ms=600000`,
      database,
      spoolDir: mkdtempSync(join(tmpdir(), 'renown-spool-')),
    };
  }

  async letGo({ database }: Ledger): Promise<void> {
    await this.client.command({ query: `TRUNCATE ALL TABLES FROM ${database} NOT LIKE 'schema_migrations'` });
    this.#free.push(database);
  }

  async stop(): Promise<void> {
    await this.client.close();
    this.#engine.stop();
  }
}

/** Ledgers that are let go when their store is closed for good. */
export class OpenLedgers {
  readonly #ledgers: Ledgers;
  readonly #of = new WeakMap<Store, Ledger>();

  constructor(ledgers: Ledgers) {
    this.#ledgers = ledgers;
  }

  async open(clock: () => number): Promise<Store> {
    return this.#open(await this.#ledgers.take(), clock);
  }

  /** The same ledger again, as a restart does. */
  async reopen(store: Store, clock: () => number): Promise<Store> {
    const ledger = this.#of.get(store);
    if (!ledger) throw new Error('This store was not opened here');
    this.#of.delete(store);
    await store.close();
    return this.#open(ledger, clock);
  }

  async #open(ledger: Ledger, clock: () => number): Promise<Store> {
    const opened = await openStore(ledger.url, { clock, spoolDir: ledger.spoolDir });
    const store: Store = {
      ...opened,
      close: async () => {
        await opened.close();
        if (this.#of.delete(store)) await this.#ledgers.letGo(ledger);
      },
    };
    this.#of.set(store, ledger);
    return store;
  }
}
