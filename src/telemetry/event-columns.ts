/**
 * The events of all sessions in columns, 47 bytes each, 32 more for the tokens of a model call and some for the index: a
 * file of gigabytes has millions of them, and as objects they would not fit.
 *
 * Two reports of one event, known by its fingerprint, become one row that holds what both say. The joining is the same
 * in whatever order and however often they come (a join in a lattice: largest numbers, earliest time), which is what
 * makes replays, duplicates and shuffled files harmless.
 */

/** What is known of an event. Numbers that are not known are NaN. */
export interface EventRow {
  fingerprint: number;
  session: number;
  kind: number;
  /** 0 not known, 1 well, 2 badly. */
  outcome: number;
  /** 0 the agent's own telemetry, 1 a second source that tells of the same session. */
  source: number;
  /** A place in the list of names. */
  name: number;
  at: number;
  amount: number;
  cost: number;
  /** Four numbers, or null. */
  tokens: ArrayLike<number> | null;
}

/** A column as bytes, in memory or still in a file. */
export interface ColumnPart {
  readonly byteLength: number;
  copyTo(target: Uint8Array): void;
}

const COLUMNS = [
  ['fingerprint', Float64Array],
  ['at', Float64Array],
  ['amount', Float64Array],
  ['cost', Float64Array],
  ['session', Int32Array],
  ['name', Int32Array],
  ['tokensAt', Int32Array],
  ['kind', Uint8Array],
  ['outcome', Uint8Array],
  ['source', Uint8Array],
] as const;

type Columns = { -readonly [C in (typeof COLUMNS)[number] as C[0]]: InstanceType<C[1]> };
const TOKENS = 4;

export class EventColumns {
  readonly #joinNames: (a: number, b: number) => number;
  #columns = allocate(256);
  #tokens = new Float64Array(256);
  #tokenRows = 0;
  #index = new Int32Array(512);
  #count = 0;

  /** `joinNames` chooses between two names of one event, whichever comes first. */
  constructor(joinNames: (a: number, b: number) => number) {
    this.#joinNames = joinNames;
  }

  get count(): number {
    return this.#count;
  }

  get columns(): Readonly<Columns> {
    return this.#columns;
  }

  /** One of the four token counts of a row that has them. */
  token(row: number, which: number): number {
    const at = this.#columns.tokensAt[row] as number;
    return at < 0 ? Number.NaN : (this.#tokens[at * TOKENS + which] as number);
  }

  add(event: EventRow): void {
    const slot = this.#slotOf(event.fingerprint);
    const known = (this.#index[slot] as number) - 1;
    if (known >= 0) {
      this.#join(known, event);
      return;
    }
    const row = this.#count++;
    if (row === this.#columns.at.length) this.#grow();
    const c = this.#columns;
    c.fingerprint[row] = event.fingerprint;
    c.session[row] = event.session;
    c.kind[row] = event.kind;
    c.outcome[row] = event.outcome;
    c.source[row] = event.source;
    c.name[row] = event.name;
    c.at[row] = event.at;
    c.amount[row] = event.amount;
    c.cost[row] = event.cost;
    c.tokensAt[row] = event.tokens ? this.#appendTokens(event.tokens) : -1;
    this.#index[slot] = row + 1;
    if (this.#count * 2 > this.#index.length) this.#reindex();
  }

  row(row: number): EventRow {
    const c = this.#columns;
    const at = c.tokensAt[row] as number;
    return {
      fingerprint: c.fingerprint[row] as number,
      session: c.session[row] as number,
      kind: c.kind[row] as number,
      outcome: c.outcome[row] as number,
      source: c.source[row] as number,
      name: c.name[row] as number,
      at: c.at[row] as number,
      amount: c.amount[row] as number,
      cost: c.cost[row] as number,
      tokens: at < 0 ? null : this.#tokens.subarray(at * TOKENS, (at + 1) * TOKENS),
    };
  }

  /** Everything it holds, for `fillFrom`. The index too: to make it again takes ten times as long as to read it. */
  toParts(): Uint8Array[] {
    const columns = COLUMNS.map(([name]) => bytesOf(this.#columns[name].subarray(0, this.#count)));
    const tokens = bytesOf(this.#tokens.subarray(0, this.#tokenRows * TOKENS));
    return [...columns, tokens, bytesOf(this.#index)];
  }

  /** Fills an empty one. The parts are those of `toParts`, in their order. */
  fillFrom(parts: readonly ColumnPart[], count: number): void {
    const [tokens, index] = parts.slice(COLUMNS.length) as [ColumnPart, ColumnPart];
    this.#columns = allocate(Math.max(256, 2 ** Math.ceil(Math.log2(count + 1))));
    COLUMNS.forEach(([name], i) => {
      parts[i]?.copyTo(bytesOf(this.#columns[name]));
    });
    this.#tokens = new Float64Array(Math.max(256, (2 * tokens.byteLength) / 8));
    tokens.copyTo(bytesOf(this.#tokens));
    this.#tokenRows = tokens.byteLength / 8 / TOKENS;
    this.#count = count;
    const slots = index.byteLength / Int32Array.BYTES_PER_ELEMENT;
    if (!Number.isInteger(Math.log2(slots)) || slots < 2 * count)
      throw new RangeError('the index does not fit');
    this.#index = new Int32Array(slots);
    index.copyTo(bytesOf(this.#index));
  }

  #join(row: number, event: EventRow): void {
    const c = this.#columns;
    const outcome = c.outcome[row] as number;
    const at = c.at[row] as number;
    // The time of a result counts, not that of the call; of two results the earlier one.
    if (outcome === 0 && event.outcome !== 0) c.at[row] = event.at;
    else if ((event.outcome !== 0 || outcome === 0) && event.at > 0 && (at === 0 || event.at < at))
      c.at[row] = event.at;
    c.outcome[row] = Math.max(outcome, event.outcome);
    c.source[row] = Math.min(c.source[row] as number, event.source);
    c.name[row] = this.#joinNames(c.name[row] as number, event.name);
    c.amount[row] = larger(c.amount[row] as number, event.amount);
    c.cost[row] = larger(c.cost[row] as number, event.cost);
    if (event.tokens) this.#joinTokens(row, event.tokens);
  }

  #joinTokens(row: number, tokens: ArrayLike<number>): void {
    const at = this.#columns.tokensAt[row] as number;
    if (at < 0) {
      this.#columns.tokensAt[row] = this.#appendTokens(tokens);
      return;
    }
    for (let i = 0; i < TOKENS; i++) {
      const place = at * TOKENS + i;
      this.#tokens[place] = larger(this.#tokens[place] as number, tokens[i] as number);
    }
  }

  #appendTokens(tokens: ArrayLike<number>): number {
    const at = this.#tokenRows++;
    if ((at + 1) * TOKENS > this.#tokens.length) {
      const larger = new Float64Array(this.#tokens.length * 2);
      larger.set(this.#tokens);
      this.#tokens = larger;
    }
    for (let i = 0; i < TOKENS; i++) this.#tokens[at * TOKENS + i] = tokens[i] as number;
    return at;
  }

  /** Where the row of a fingerprint is noted in the index, or where it would be. */
  #slotOf(fingerprint: number): number {
    const mask = this.#index.length - 1;
    // The operator takes the lowest 32 bits, also of a number that has more.
    let slot = fingerprint & mask;
    for (;;) {
      const row = (this.#index[slot] as number) - 1;
      if (row < 0 || this.#columns.fingerprint[row] === fingerprint) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const old = this.#columns;
    const grown = allocate(old.at.length * 2);
    for (const [name] of COLUMNS) grown[name].set(old[name]);
    this.#columns = grown;
  }

  #reindex(): void {
    this.#index = new Int32Array(this.#index.length * 2);
    for (let row = 0; row < this.#count; row++) {
      this.#index[this.#slotOf(this.#columns.fingerprint[row] as number)] = row + 1;
    }
  }
}

/** What another thread has sent, for `fillFrom`. */
export function inMemory(bytes: Uint8Array): ColumnPart {
  return { byteLength: bytes.byteLength, copyTo: (target) => target.set(bytes) };
}

function allocate(rows: number): Columns {
  return Object.fromEntries(COLUMNS.map(([name, type]) => [name, new type(rows)])) as unknown as Columns;
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function larger(a: number, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}
