/**
 * The windows of agents: the busiest in memory, all of them on disk. A window on disk is its compact row plus the tail,
 * the evaluations since. The watermark is what keeps the tail short: every window row covers at least the evaluations
 * up to it, so that no reading has to look further back, however long an agent has been idle.
 */
import { BLOB, blobValue, DOUBLE, type DuckDBConnection, INTEGER } from '@duckdb/node-api';
import { LIMITS } from '../../core/limits.ts';
import { type Evaluation as Counted, KINDS, type KnownAs } from '../../core/reputation.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { fromWindowBytes, toWindowBytes } from '../../core/reputation-window-bytes.ts';
import { numberList, query } from './query.ts';
import type { AppendTable, Transaction } from './transaction.ts';

interface Cached {
  window: ReputationWindow;
  /** The last evaluation that is in it, and when it was received. */
  seq: number;
  at: number | null;
  /** Whether it holds more than its row on disk. */
  dirty: boolean;
}

/** An evaluation with its place in the ledger, and what of it counts. */
export interface Arrived {
  agentNo: number;
  seq: number;
  receivedAt: number;
  counted: Counted | null;
}

export interface TailRow {
  agentNo: number;
  seq: number;
  passed: boolean;
  latencyMs: number;
  agentLatencyMs: number | null;
  /** The place of its kind in KINDS. */
  kind: number;
  sampleRate: number;
  receivedAt: number;
}

const WINDOWS: AppendTable = { name: 'windows', types: [INTEGER, DOUBLE, BLOB, DOUBLE] };

/** The columns of `evaluations` that a window is made from. */
export const TAIL_COLUMNS = `agent_no AS "agentNo", seq AS seq, passed, total_latency_ms AS "latencyMs",
  latency_ms AS "agentLatencyMs", known_as AS kind, sample_rate AS "sampleRate", received_at AS "receivedAt"`;

export function fromTailRow(row: TailRow): Counted {
  const { passed, latencyMs, agentLatencyMs, sampleRate } = row;
  return {
    passed,
    latencyMs,
    agentLatencyMs: agentLatencyMs ?? undefined,
    knownAs: knownAsOf(row),
    sampleRate,
  };
}

export function knownAsOf({ kind }: Pick<TailRow, 'kind'>): KnownAs {
  return KINDS[kind] ?? 'reported';
}

export class Windows {
  readonly #connection: DuckDBConnection;
  /** In the order of their last use, the oldest first. */
  readonly #cache = new Map<number, Cached>();
  /** Readings under way, so that an agent is read once however many ask, and the batch that is being gathered. */
  readonly #reading = new Map<number, Promise<Cached>>();
  #batch: { agentNos: number[]; found: Promise<Map<number, Cached>> } | null = null;
  #watermark: number;

  constructor(connection: DuckDBConnection, watermark: number) {
    this.#connection = connection;
    this.#watermark = watermark;
  }

  /**
   * Reads the windows that the tail on disk has changed. After a crash they are in nobody's memory, and the watermark
   * must not move past them before their rows are written.
   */
  async recover(): Promise<void> {
    const tail = await query<{ agentNo: number }>(
      this.#connection,
      `SELECT DISTINCT agent_no AS "agentNo" FROM evaluations WHERE seq > ${this.#watermark} AND counts`,
    );
    await Promise.all(tail.map(({ agentNo }) => this.#cached(agentNo)));
  }

  get watermark(): number {
    return this.#watermark;
  }

  async get(agentNo: number): Promise<ReputationWindow> {
    return (await this.#cached(agentNo)).window;
  }

  /** When the newest evaluation of a window was received. */
  async lastArrival(agentNo: number): Promise<number | null> {
    return (await this.#cached(agentNo)).at;
  }

  /** Brings windows up to date with evaluations that have been committed, in order, and answers with them. */
  async push(rows: readonly Arrived[]): Promise<Map<number, ReputationWindow>> {
    const touched = await this.#touch(rows);
    for (const { agentNo, seq, receivedAt, counted } of rows) {
      const cached = touched.get(agentNo) as Cached;
      // A window that was just read from disk holds these already.
      if (counted === null || seq <= cached.seq) continue;
      pushCounted(cached.window, counted);
      cached.seq = seq;
      cached.at = receivedAt;
      cached.dirty = true;
    }
    const windows = new Map<number, ReputationWindow>();
    for (const [agentNo, { window }] of touched) windows.set(agentNo, window);
    return windows;
  }

  /** An empty window, for an agent that is created in this transaction. */
  begin(transaction: Transaction, agentNo: number): void {
    transaction.onRollback(() => this.forget(agentNo));
    this.#put(agentNo, emptyWindow());
  }

  /** Puts a window that was made anew into the cache and, with this transaction, on disk. */
  async replace(transaction: Transaction, agentNo: number, made: Omit<Cached, 'dirty'>): Promise<void> {
    await this.#write(transaction, [[agentNo, made]]);
    const before = this.#cache.get(agentNo);
    transaction.onRollback(() => {
      // What it held beyond its row on disk is in nobody else's memory.
      if (before) this.#cache.set(agentNo, before);
      else this.forget(agentNo);
    });
    this.#put(agentNo, { ...made, dirty: false });
  }

  forget(agentNo: number): void {
    this.#cache.delete(agentNo);
    this.#reading.delete(agentNo);
  }

  dirty(): number[] {
    return [...this.#cache].filter(([, { dirty }]) => dirty).map(([agentNo]) => agentNo);
  }

  /** Writes the rows of some windows; they are clean once the commit is down. */
  async save(transaction: Transaction, agentNos: readonly number[]): Promise<() => void> {
    const entries = agentNos.flatMap((agentNo) => {
      const cached = this.#cache.get(agentNo);
      return cached ? [[agentNo, cached, cached.seq] as const] : [];
    });
    await this.#write(
      transaction,
      entries.map(([agentNo, cached]) => [agentNo, cached]),
    );
    return () => {
      // Writes before this one in the same commit have added to them since.
      for (const [, cached, seq] of entries) if (cached.seq === seq) cached.dirty = false;
    };
  }

  async moveWatermark(transaction: Transaction, seq: number): Promise<() => void> {
    await transaction.run(`DELETE FROM meta WHERE name = 'watermark'`);
    await transaction.run(`INSERT INTO meta VALUES ('watermark', $seq)`, { seq: String(seq) });
    return () => {
      this.#watermark = seq;
    };
  }

  /** So many that have to be written before they can be let go that it is time to do so. */
  isOverfull(): boolean {
    return this.#cache.size > 1.2 * LIMITS.windowsCachedMax;
  }

  /** Lets go of the least used windows beyond the limit, as far as they are safe on disk. */
  trim(): void {
    let surplus = this.#cache.size - LIMITS.windowsCachedMax;
    for (const [agentNo, { dirty }] of this.#cache) {
      if (surplus <= 0) return;
      if (dirty) continue;
      this.#cache.delete(agentNo);
      surplus--;
    }
  }

  async #write(
    transaction: Transaction,
    entries: readonly (readonly [number, Omit<Cached, 'dirty'>])[],
  ): Promise<void> {
    await transaction.run(
      `DELETE FROM windows WHERE agent_no IN (${numberList(entries.map(([agentNo]) => agentNo))})`,
    );
    for (const [agentNo, { window, seq, at }] of entries) {
      transaction.append(WINDOWS, [agentNo, seq, blobValue(toWindowBytes(window)), at]);
    }
  }

  /** The windows that rows belong to. Most are in memory; those that are not are read together. */
  async #touch(rows: readonly Arrived[]): Promise<Map<number, Cached>> {
    const touched = new Map<number, Cached>();
    const missing = new Set<number>();
    for (const { agentNo } of rows) {
      if (touched.has(agentNo)) continue;
      const cached = this.#cache.get(agentNo);
      if (cached) touched.set(agentNo, this.#use(agentNo, cached));
      else missing.add(agentNo);
    }
    await Promise.all(
      Array.from(missing, async (agentNo) => touched.set(agentNo, await this.#cached(agentNo))),
    );
    return touched;
  }

  async #cached(agentNo: number): Promise<Cached> {
    const cached = this.#cache.get(agentNo);
    return cached ? this.#use(agentNo, cached) : this.#read(agentNo);
  }

  /** In place of whatever is there, and of what a reading under way may find: that was before this. */
  #put(agentNo: number, cached: Cached): void {
    this.#reading.delete(agentNo);
    this.#cache.set(agentNo, cached);
  }

  /** Whoever comes last stands last in the order of use. */
  #use(agentNo: number, cached: Cached): Cached {
    this.#cache.delete(agentNo);
    this.#cache.set(agentNo, cached);
    return cached;
  }

  /** Everyone who asks in the same turn of the event loop shares one query. */
  #read(agentNo: number): Promise<Cached> {
    const underWay = this.#reading.get(agentNo);
    if (underWay) return underWay;
    this.#batch ??= { agentNos: [], found: nextTurn().then(() => this.#readBatch()) };
    this.#batch.agentNos.push(agentNo);
    const reading = this.#batch.found
      .then((found) => {
        const read = found.get(agentNo) ?? emptyWindow();
        // Made anew or forgotten meanwhile: what was read is of the past.
        if (this.#reading.get(agentNo) !== reading) return this.#cache.get(agentNo) ?? read;
        return this.#use(agentNo, read);
      })
      .finally(() => {
        if (this.#reading.get(agentNo) === reading) this.#reading.delete(agentNo);
      });
    this.#reading.set(agentNo, reading);
    return reading;
  }

  async #readBatch(): Promise<Map<number, Cached>> {
    const list = numberList(this.#batch?.agentNos ?? []);
    this.#batch = null;
    const rows = await query<{ agentNo: number; seq: number; bytes: Uint8Array; at: number | null }>(
      this.#connection,
      `SELECT agent_no AS "agentNo", seq AS seq, bytes, last_arrival AS "at" FROM windows WHERE agent_no IN (${list})`,
    );
    const found = new Map<number, Cached>();
    for (const { agentNo, seq, bytes, at } of rows) {
      found.set(agentNo, { window: fromWindowBytes(bytes), seq, at, dirty: false });
    }
    const tail = await query<TailRow>(
      this.#connection,
      `SELECT ${TAIL_COLUMNS} FROM evaluations
       WHERE seq > ${this.#watermark} AND counts AND agent_no IN (${list}) AND seq NOT IN (SELECT seq FROM voids)
       ORDER BY seq`,
    );
    for (const row of tail) {
      const { agentNo, seq, receivedAt } = row;
      const cached = found.get(agentNo) ?? emptyWindow();
      found.set(agentNo, cached);
      if (seq <= cached.seq) continue;
      pushCounted(cached.window, fromTailRow(row));
      Object.assign(cached, { seq, at: receivedAt, dirty: true });
    }
    return found;
  }
}

function pushCounted(window: ReputationWindow, counted: Counted): void {
  const { passed, latencyMs, agentLatencyMs, knownAs, sampleRate } = counted;
  window.push(passed, latencyMs, agentLatencyMs, knownAs, sampleRate);
}

function emptyWindow(): Cached {
  return { window: new ReputationWindow(), seq: -1, at: null, dirty: false };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
