/**
 * Watches every agent as its evaluations arrive: the change detector beside each window, and the floor that the org has set.
 * It follows the ledger from a place on. Where it has got to is kept with a lease, so that one node watches an org and
 * another takes over when it is gone; the detectors are kept beside it, each with the generation it was written in, so that
 * after a crash no evaluation is taken in twice.
 */

import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import {
  BASELINE_FROM,
  type ChangeAlarm,
  createDetector,
  type DetectorState,
  learnBaseline,
  observe,
} from '../../core/stats/change-detector.ts';
import type { VerdictFeed } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import { type AlertLog, raiseAlert } from './alerts.ts';
import { changeAlert } from './change-alert.ts';

const LEASE = 'watch';
export const DETECTOR = 'detector';
const ORG = 'org';

type Verdict = VerdictFeed['items'][number];

interface LeaseBody {
  cursor: string;
  generation: number;
  holder: string;
  until: number;
}

export interface DetectorBody {
  state: DetectorState;
  generation: number;
  /** The place after the last evaluation in it. */
  cursor: string;
  /** The last change that was noticed, and when. */
  alarm: ChangeAlarm | null;
  alarmAt: number | null;
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
      for (const verdict of feed.items) {
        const watched = this.#agents.get(verdict.agentId) ?? (await this.#load(verdict.agentId));
        const alarm = take(watched, verdict);
        if (alarm) await this.#raise(verdict, watched, alarm);
      }
      await this.#checkFloors(new Set(feed.items.map(({ agentId }) => agentId)));
      this.#cursor = feed.cursor;
      more = feed.hasMore;
    }
    const isDirty = [...this.#agents.values()].some(({ dirty }) => dirty);
    if (isDirty && this.#context.clock() - this.#savedAt >= LIMITS.watchSaveMs) await this.#save();
  }

  /** Lets another node take over at once. */
  async stop(): Promise<void> {
    if (!this.#lease || !(await this.#save())) return;
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
    if (body?.holder !== this.#holder) this.#agents.clear();
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
    return false;
  }

  async #write(lease: LeaseBody): Promise<boolean> {
    const { store, clock } = this.#context;
    try {
      const write = { kind: LEASE, id: ORG, body: lease, at: clock(), expectedVersion: this.#version };
      this.#version = (await store.documents.put(this.#orgId, write)).version;
      return true;
    } catch (error) {
      if (error instanceof RenownError && error.code === 'conflict') return this.#lose();
      throw error;
    }
  }

  async #raise({ agentId, receivedAt }: Verdict, watched: Watched, alarm: ChangeAlarm): Promise<void> {
    watched.alarm = alarm;
    watched.alarmAt = receivedAt;
    // Whoever reads the alert will look at once.
    this.#savedAt = 0;
    // It goes on watching against the same baseline; the quiet period keeps it from repeating itself.
    watched.state = createDetector(alarm.baseline);
    await raiseAlert(this.#context, this.#orgId, { alert: changeAlert(agentId, alarm), log: this.#log });
  }

  async #load(agentId: string): Promise<Watched> {
    const stored = await this.#context.store.documents.get(this.#orgId, DETECTOR, agentId);
    const body = stored?.body as DetectorBody | undefined;
    // Written after the place was last noted: what lies between the two is in it already.
    const ahead = body !== undefined && body.generation > (this.#lease?.generation ?? 0);
    const watched: Watched = body
      ? { ...body, version: stored?.version ?? 0, skipTo: ahead ? body.cursor : null, dirty: false }
      : {
          state: await this.#begin(agentId),
          version: 0,
          generation: 0,
          cursor: '',
          alarm: null,
          alarmAt: null,
          skipTo: null,
          dirty: true,
        };
    if (this.#agents.size >= LIMITS.detectorsCachedMax) {
      const clean = [...this.#agents].find(([, { dirty }]) => !dirty);
      if (clean) this.#agents.delete(clean[0]);
    }
    this.#agents.set(agentId, watched);
    return watched;
  }

  /** An agent that was there before the watching began is taken as its window shows it. */
  async #begin(agentId: string): Promise<DetectorState> {
    const { store, settings } = this.#context;
    const { baseline_pass_rate: declared } = await settings.read(this.#orgId);
    const state = createDetector(declared);
    const { evalCount, passed } = await store.evaluations.reputation(this.#orgId, agentId);
    return declared === null && evalCount === BASELINE_FROM ? learnBaseline(state, passed) : state;
  }

  async #checkFloors(agentIds: ReadonlySet<string>): Promise<void> {
    const { store, settings } = this.#context;
    const { score_floor: floor } = await settings.read(this.#orgId);
    if (floor === null) return;
    for (const agentId of agentIds) {
      const { score, lifecycle } = await store.evaluations.reputation(this.#orgId, agentId);
      // A newcomer's score is low because it is new.
      if (score >= floor || lifecycle === 'new' || lifecycle === 'calibrating') continue;
      const message = `The score of ${agentId} is ${score}, below the floor of ${floor}.`;
      const alert = { kind: 'score_below_floor' as const, subject: agentId, message, data: { score, floor } };
      await raiseAlert(this.#context, this.#orgId, { alert, log: this.#log });
    }
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
    const { state, cursor, alarm, alarmAt, version: expectedVersion } = watched;
    const body: DetectorBody = { state, generation, cursor, alarm, alarmAt };
    try {
      const write = { kind: DETECTOR, id: agentId, body, at: clock(), expectedVersion };
      watched.version = (await store.documents.put(this.#orgId, write)).version;
      watched.dirty = false;
    } catch (error) {
      if (!(error instanceof RenownError && error.code === 'conflict')) throw error;
      this.#agents.delete(agentId);
    }
  }
}

function take(watched: Watched, { cursor, passed }: Verdict): ChangeAlarm | null {
  if (watched.skipTo !== null) {
    if (watched.skipTo === cursor) watched.skipTo = null;
    return null;
  }
  watched.dirty = true;
  watched.cursor = cursor;
  return observe(watched.state, passed);
}

/** What the detector knows of an agent. */
export async function readDetector({ store }: ServiceContext, orgId: string, agentId: string) {
  return ((await store.documents.get(orgId, DETECTOR, agentId))?.body ?? null) as DetectorBody | null;
}
