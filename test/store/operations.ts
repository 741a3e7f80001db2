/** Random operations on a ledger, and what is compared after them: shared by the tests that hold engines to the oracle. */
import fc from 'fast-check';
import type { Store } from '../../src/store/store.ts';
import { everything } from './conformance/read.ts';
import { audited, evaluation, reputationEvent } from './rows.ts';

const org = fc.constantFrom('acme', 'rival');
const agentId = fc.constantFrom('a', 'b');
/** Few ids, so that the same one comes again and again. */
const id = fc.nat(60).map((i) => `e${i}`);
const sent = fc.record({
  id,
  agentId,
  passed: fc.boolean(),
  counts: fc.boolean(),
  latency: fc.nat(200),
  agentLatency: fc.option(fc.nat(99)),
});
const IDENTITIES = ['b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0001', 'b6f0c7f4-3b0e-4a53-9d4e-1d1f6c1a0002'] as const;
const identityId = fc.constantFrom(...IDENTITIES);
const event = fc.record({
  id: fc.nat(20),
  identityId,
  revision: fc.nat(3),
  delta: fc.integer({ min: -5, max: 5 }),
  daysAgo: fc.nat(130),
});
export const NOW = 1_780_000_000_000;
const DAY_MS = 86_400_000;

export type Operation = (store: Store) => Promise<unknown>;

export const write: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(org, fc.array(sent, { minLength: 1, maxLength: 30 }))
      .map(([orgId, rows]) => appending(orgId, rows)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(org, id).map(
      ([orgId, one]): Operation =>
        (store) =>
          store.evaluations.void(orgId, one, { audit: audited(0), at: NOW, reason: 'why' }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(org, agentId).map(
      ([orgId, agent]): Operation =>
        (store) =>
          store.agents.delete(orgId, agent, audited(0)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(org, agentId, fc.boolean()).map(
      ([orgId, agent, isPublic]): Operation =>
        (store) =>
          store.agents.put(orgId, agent, { at: NOW, isPublic }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(org, fc.array(event, { minLength: 1, maxLength: 10 }))
      .map(([orgId, events]) => reporting(orgId, events)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(200), fc.option(fc.nat(130))).map(
      ([evaluationsMs, days]): Operation =>
        (store) =>
          store.upkeep.prune(
            {
              evaluationsMs,
              reputationEventsMs: days === null ? null : days * DAY_MS,
              auditMs: null,
              sessionEventsMs: null,
              signalsMs: null,
              sessionScoresMs: null,
            },
            NOW + 300,
          ),
    ),
  },
);

const read: fc.Arbitrary<Operation> = fc
  .tuple(org, agentId, identityId, fc.boolean())
  .chain(([orgId, agent, identity, passed]) =>
    fc.constantFrom<Operation>(
      (store) => store.evaluations.reputation(orgId, agent),
      (store) => store.evaluations.list(orgId, { passed }, { limit: 7 }).then(({ items }) => items),
      (store) => store.identities.score(orgId, identity, NOW),
      (store) => store.identities.score(orgId, identity, NOW - 40 * DAY_MS),
    ),
  );

export const operation = fc.oneof({ weight: 3, arbitrary: write }, { weight: 1, arbitrary: read });

function appending(
  orgId: string,
  rows: {
    id: string;
    agentId: string;
    passed: boolean;
    counts: boolean;
    latency: number;
    agentLatency: number | null;
  }[],
): Operation {
  const batch = rows.map((row) =>
    evaluation(row.id, {
      agentId: row.agentId,
      passed: row.passed,
      counts: row.counts,
      totalLatencyMs: row.latency / 3,
      latencyMs: row.agentLatency,
    }),
  );
  return (store) => store.evaluations.append(orgId, batch);
}

function reporting(
  orgId: string,
  events: { id: number; identityId: string; revision: number; delta: number; daysAgo: number }[],
): Operation {
  const batch = events.map(({ id: i, revision, delta, daysAgo, identityId: of }) =>
    reputationEvent(i, {
      identityId: of,
      revision,
      scoreDelta: delta / 5,
      timestamp: NOW - daysAgo * DAY_MS,
    }),
  );
  return (store) => store.identities.append(orgId, batch);
}

/** All there is, and where every agent stands. */
export async function state(store: Store): Promise<unknown> {
  const rows = await everything(store);
  const agents = rows.flatMap((item) => (item.kind === 'agent' ? [item] : []));
  const standing = agents.map(({ orgId, row }) => store.evaluations.reputation(orgId, row.agentId));
  const canonical = (values: readonly unknown[]) =>
    values.map((value) => JSON.stringify(rounded(value))).sort();
  return { rows: canonical(rows), standing: canonical(await Promise.all(standing)) };
}

/** The last digits of a mean may differ with the order of adding, and nothing depends on the order of fields. */
export function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e9) / 1e9;
  if (value instanceof Map) return rounded(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, part]) => [key, rounded(part)]));
}
