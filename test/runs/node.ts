/** A node for tests: a scheduler over a store of the test's choosing, with a clock in the test's hand. */
import { uuidv7 } from 'uuidv7';
import { RunBell } from '../../src/service/run-bell.ts';
import { Scheduler } from '../../src/service/scheduler.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';

export const SILENT = { info() {}, error() {} };
export const CALLER = { orgId: 'acme', actor: 'test' };

export function createNode(store: Store, clock: () => number) {
  const context = { store, clock, newId: uuidv7, runBell: new RunBell() };
  const scheduler = new Scheduler(context, SILENT);
  return {
    context,
    scheduler,
    /** Starts what is due, and waits until it is done. */
    async settle(): Promise<void> {
      await scheduler.look();
      await scheduler.idle();
    },
  };
}

export async function createOrg(store: Store): Promise<void> {
  await store.orgs.create({ orgId: 'acme', name: 'Acme', createdAt: 0 });
}

/** So many sessions of so many traces each. */
export async function fillSessions(
  store: Store,
  { sessions, traces, confidence = 0.8 }: { sessions: number; traces: number; confidence?: number },
): Promise<void> {
  const reports = Array.from({ length: sessions * traces }, (_, i) => {
    const session = Math.floor(i / traces);
    return {
      sessionId: `s${String(session).padStart(5, '0')}`,
      traceId: `t${i % traces}`,
      agentId: `agent-${session % 3}`,
      signals: { confidence, coherence: 0.9 },
      startedAt: null,
      tags: [`group-${session % 2}`],
      source: 'test',
    };
  });
  for (let i = 0; i < reports.length; i += 1_000)
    await store.signals.append('acme', reports.slice(i, i + 1_000));
}

/** A ledger in memory with five sessions, and a node over it. */
export async function openLedger(clock: () => number) {
  const store = createMemoryStore({ clock });
  await createOrg(store);
  await fillSessions(store, { sessions: 5, traces: 2 });
  return { store, node: createNode(store, clock) };
}

/** Asks for runs that nobody carries out yet. */
export function unheard({ context }: ReturnType<typeof createNode>) {
  return { ...context, runBell: new RunBell() };
}

export function reportOf(sessionId: string, startedAt: number | null = null) {
  return {
    sessionId,
    traceId: 't',
    agentId: 'agent-0',
    signals: { confidence: 1 },
    startedAt,
    tags: [],
    source: 'test',
  };
}
