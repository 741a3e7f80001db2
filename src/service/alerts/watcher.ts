/**
 * Watches every agent as its evaluations arrive: the change detector beside each window, and the floor that the org has set.
 * It follows the ledger from a place on. Where it has got to is kept with a lease, so that one node watches an org and
 * another takes over when it is gone; the detectors are kept beside it, each with the generation it was written in, so that
 * after a crash no evaluation is taken in twice.
 */
import { isConflict } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import {
  BASELINE_FROM,
  createDetector,
  type DetectorState,
  learnBaseline,
} from '../../core/stats/change-detector.ts';
import type { VerdictFeed } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import type { Alert } from './alert-record.ts';
import { type AlertLog, raiseAlert } from './alerts.ts';
import { changeAlert } from './change-alert.ts';
import { beginWatch, type Change, type ChangeWatch, takeVerdict } from './change-watch.ts';

export const LEASE = 'watch';
export const DETECTOR = 'detector';
const ORG = 'org';

type Verdict = VerdictFeed['items'][number];

interface LeaseBody {
  cursor: string;
  generation: number;
  holder: string;
  until: number;
}

export interface DetectorBody extends ChangeWatch {
  generation: number;
  /** The place after the last evaluation in it. */
  cursor: string;
}

interface Watched extends DetectorBody {
  /** As it was last written down; 0 for none. */
  version: number;
  /** Passed over until this place: they are in the state already. */
  skipTo: string | null;
  dirty: boolean;
}

/** Watches one org. `look` may be called as often as one likes; it does nothing while another node holds the lease. */
export class Watcher {
  readonly #context: ServiceContext;
  readonly #orgId: string;
  readonly #log: AlertLog;
  readonly #holder: string;
  readonly #agents = new Map<string, Watched>();
  /** Noticed, and not yet told: telling may fail, and what was taken in is not taken in again. */
  readonly #untold: Alert[] = [];
  readonly #unchecked = new Set<string>();
  /** As it is written down: its place is that of the detectors beside it, and may lie behind ours. */
  #lease: LeaseBody | null = null;
  #cursor = '';
  #savedAt = 0;
  #version = 0;

  constructor(context: ServiceContext, orgId: string, { log }: { log: AlertLog }) {
    this.#context = context;
    this.#orgId = orgId;
    this.#log = log;
    this.#holder = context.newId();
  }

  /** Takes in what has arrived, raises what is to be raised, and writes down now and then how far it got. */
  async look(): Promise<void> {
    if (!(await this.#hold())) return;
    for (let more = true; more; ) {
      const { evaluations } = this.#context.store;
      const feed = await evaluations.verdictsSince(this.#orgId, this.#cursor, LIMITS.watchPageMax);
      const { baseline_pass_rate: declared } = await this.#context.settings.read(this.#orgId);
      for (const verdict of feed.items) {
        const known = this.#agents.get(verdict.agentId);
        const watched = known?.declared === declared ? known : await this.#watchedFor(verdict, declared);
        const change = take(watched, verdict);
        this.#cursor = verdict.cursor;
        this.#unchecked.add(verdict.agentId);
        if (change) this.#untold.push(changeAlert(verdict.agentId, change));
      }
      this.#cursor = feed.cursor;
      more = feed.hasMore;
      await this.#tell();
    }
    const isDirty = [...this.#agents.values()].some(({ dirty }) => dirty);
    if (isDirty && this.#context.clock() - this.#savedAt >= LIMITS.watchSaveMs) await this.#save();
  }

  /** Lets another node take over at once. */
  async stop(): Promise<void> {
    if (!this.#lease) return;
    await this.#tell();
    if (!(await this.#save())) return;
    this.#lease.until = 0;
    await this.#write(this.#lease);
    this.#lease = null;
  }

  /** True while this node is the one that watches. */
  async #hold(): Promise<boolean> {
    const { store, clock } = this.#context;
    const now = clock();
    if (this.#lease && this.#lease.until - now > LIMITS.watchLeaseMs / 2) return true;
    const stored = await store.documents.get(this.#orgId, LEASE, ORG);
    const body = stored?.body as LeaseBody | undefined;
    if (body && body.holder !== this.#holder && body.until > now) return this.#lose();
    // Somebody else has watched since: what this node knew may be in the detectors already.
    if (body?.holder !== this.#holder) this.#lose();
    this.#version = stored?.version ?? 0;
    // A ledger that was never watched is watched from now on.
    const cursor = this.#lease?.cursor ?? body?.cursor ?? (await store.evaluations.head(this.#orgId));
    if (!this.#lease) this.#cursor = cursor;
    this.#lease = {
      cursor,
      generation: body?.generation ?? 0,
      holder: this.#holder,
      until: now + LIMITS.watchLeaseMs,
    };
    return this.#write(this.#lease);
  }

  #lose(): false {
    this.#lease = null;
    this.#agents.clear();
    this.#untold.length = 0;
    this.#unchecked.clear();
    return false;
  }

  async #write(lease: LeaseBody): Promise<boolean> {
    const { store, clock } = this.#context;
    try {
      const write = { kind: LEASE, id: ORG, body: lease, at: clock(), expectedVersion: this.#version };
      this.#version = (await store.documents.put(this.#orgId, write)).version;
      return true;
    } catch (error) {
      if (isConflict(error)) return this.#lose();
      throw error;
    }
  }

  /** Raises what was noticed, and looks at the floor of whoever was judged. */
  async #tell(): Promise<void> {
    for (let alert = this.#untold[0]; alert; alert = this.#untold[0]) {
      await raiseAlert(this.#context, this.#orgId, { alert, log: this.#log });
      this.#untold.shift();
      // Whoever reads the alert will look at once.
      this.#savedAt = 0;
    }
    const { score_floor: floor } = await this.#context.settings.read(this.#orgId);
    for (const agentId of this.#unchecked) {
      if (floor !== null) await this.#checkFloor(agentId, floor);
      this.#unchecked.delete(agentId);
    }
  }

  /** The detector of an agent, begun anew when the org has declared another baseline. */
  async #watchedFor(verdict: Verdict, declared: number | null): Promise<Watched> {
    const watched = this.#agents.get(verdict.agentId) ?? (await this.#load(verdict, declared));
    if (watched.declared !== declared) {
      const { total, change } = watched;
      Object.assign(watched, beginWatch(await this.#begin(verdict, declared), declared), { total, change });
    }
    return watched;
  }

  async #load(verdict: Verdict, declared: number | null): Promise<Watched> {
    const { agentId } = verdict;
    const stored = await this.#context.store.documents.get(this.#orgId, DETECTOR, agentId);
    const body = stored?.body as DetectorBody | undefined;
    // Written after the place was last noted: what lies between the two is in it already.
    const ahead = body !== undefined && body.generation > (this.#lease?.generation ?? 0);
    const watched: Watched = {
      ...(body ?? {
        ...beginWatch(await this.#begin(verdict, declared), declared),
        generation: 0,
        cursor: '',
      }),
      version: stored?.version ?? 0,
      skipTo: ahead ? body.cursor : null,
      dirty: body === undefined,
    };
    if (this.#agents.size >= LIMITS.detectorsCachedMax) {
      const clean = [...this.#agents].find(([, { dirty }]) => !dirty);
      if (clean) this.#agents.delete(clean[0]);
    }
    this.#agents.set(agentId, watched);
    return watched;
  }

  /** An agent that was there before the watching began is taken as its window was before the verdict that comes now. */
  async #begin({ agentId, receivedAt }: Verdict, declared: number | null): Promise<DetectorState> {
    const state = createDetector(declared);
    if (declared !== null) return state;
    const { evaluations } = this.#context.store;
    const [before] = await evaluations.history(this.#orgId, agentId, [receivedAt - 1]);
    return before?.evalCount === BASELINE_FROM ? learnBaseline(state, before.passed) : state;
  }

  async #checkFloor(agentId: string, floor: number): Promise<void> {
    const { score, lifecycle } = await this.#context.store.evaluations.reputation(this.#orgId, agentId);
    // A newcomer's score is low because it is new.
    if (score >= floor || lifecycle === 'new' || lifecycle === 'calibrating') return;
    const message = `The score of ${agentId} is ${score}, below the floor of ${floor}.`;
    const alert = { kind: 'score_below_floor' as const, subject: agentId, message, data: { score, floor } };
    await raiseAlert(this.#context, this.#orgId, { alert, log: this.#log });
  }

  /** The detectors first, under the coming generation, and then the place: what comes between can be told apart. */
  async #save(): Promise<boolean> {
    const lease = this.#lease as LeaseBody;
    const generation = lease.generation + 1;
    const dirty = [...this.#agents].filter(([, watched]) => watched.dirty);
    for (let start = 0; start < dirty.length; start += LIMITS.streamPageMax) {
      // Together, so that they share commits.
      await Promise.all(
        dirty
          .slice(start, start + LIMITS.streamPageMax)
          .map(([id, watched]) => this.#saveDetector(id, watched, generation)),
      );
    }
    this.#savedAt = this.#context.clock();
    lease.cursor = this.#cursor;
    lease.generation = generation;
    lease.until = this.#savedAt + LIMITS.watchLeaseMs;
    return this.#write(lease);
  }

  /** Only where it stands as we left it: one that was deleted with its agent begins anew. */
  async #saveDetector(agentId: string, watched: Watched, generation: number): Promise<void> {
    const { store, clock } = this.#context;
    const { version: expectedVersion, skipTo: _, dirty: _dirty, ...kept } = watched;
    const body: DetectorBody = { ...kept, generation };
    try {
      const write = { kind: DETECTOR, id: agentId, body, at: clock(), expectedVersion };
      watched.version = (await store.documents.put(this.#orgId, write)).version;
      watched.dirty = false;
    } catch (error) {
      if (!isConflict(error)) throw error;
      this.#agents.delete(agentId);
    }
  }
}

function take(watched: Watched, { cursor, passed, receivedAt }: Verdict): Change | null {
  if (watched.skipTo !== null) {
    if (watched.skipTo === cursor) watched.skipTo = null;
    return null;
  }
  watched.dirty = true;
  watched.cursor = cursor;
  return takeVerdict(watched, { passed, at: receivedAt });
}

/** What the detector knows of an agent. */
export async function readDetector({ store }: ServiceContext, orgId: string, agentId: string) {
  return ((await store.documents.get(orgId, DETECTOR, agentId))?.body ?? null) as DetectorBody | null;
}
