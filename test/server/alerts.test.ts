import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlertStation } from '../../src/service/alerts/alert-station.ts';
import { finishPending, raiseAlert } from '../../src/service/alerts/alerts.ts';
import { Watcher } from '../../src/service/alerts/watcher.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface Told {
  subject: string;
  data: Record<string, number | string>;
}

let server: TestServer;
let now = Date.parse('2026-11-15T08:00:00Z');

beforeAll(async () => {
  server = await startServer({ clock: () => now });
});
afterAll(() => server.stop());

const LOG = { info() {}, warn() {}, error() {} };
/** Another node over the same ledger, whose rounds the test calls. */
const station = () => createAlertStation(server.context, { isAllowed: () => false, log: LOG });
const admin = (path: string, method: string, body?: unknown) =>
  server.call(path, { method, key: server.sk, ...(body !== undefined && { body }) });

let made = 0;
async function ingest(agent_id: string, count: number, passed = true): Promise<void> {
  const events = Array.from({ length: count }, () => ({
    evaluation_id: `a${made++}`,
    agent_id,
    passed,
    gates: [{ name: 'content', outcome: passed ? 'passed' : 'failed', latency_ms: 0 }],
    total_latency_ms: 0,
  }));
  expect((await server.call('/v1/ingest', { body: { events } })).status).toBe(202);
}

describe('the watcher', () => {
  it('says once in a quiet period that a score is below the floor, and not of newcomers', async () => {
    await admin('/v1/settings', 'PATCH', { score_floor: 800, alert_quiet_s: 600 });
    const node = station();
    await node.look();
    await ingest('sinking', 60);
    await ingest('newcomer', 3, false);
    await ingest('sinking', 5, false);
    const below = async () => {
      await server.context.store.evaluations.head('acme');
      await node.look();
      const { json } = await server.call('/v1/alerts');
      return json.items.filter((one: { kind: string }) => one.kind === 'score_below_floor');
    };
    now += 31_000;
    const first = await waitFor(below, 1);
    expect(first[0]).toMatchObject({ subject: 'sinking', data: { floor: 800 } });
    await ingest('sinking', 1, false);
    expect(await below()).toHaveLength(1);
    now += 600_000;
    await ingest('sinking', 1, false);
    expect(await waitFor(below, 2)).toHaveLength(2);
    await admin('/v1/settings', 'PATCH', { score_floor: null });
    await node.stop();
  });

  it('says that an agent got worse, since when and how sure, and remembers across restarts', async () => {
    await ingest('turning', 500);
    const alarms = async (node: ReturnType<typeof station>) => {
      await node.look();
      const { json } = await server.call('/v1/alerts?limit=200');
      return json.items.filter((one: { kind: string }) => one.kind === 'change_detected');
    };
    const node = station();
    now += 31_000;
    expect(await alarms(node)).toEqual([]);
    await ingest('turning', 5, false);
    await alarms(node);
    await node.stop();
    const other = station();
    await ingest('turning', 3, false);
    const alarm = (await waitFor(() => alarms(other), 1))[0] as Told;
    expect(alarm).toMatchObject({
      subject: 'turning',
      data: { evaluations_since: expect.any(Number), e_value: expect.any(Number), rate_since: 0 },
    });
    expect(alarm.data.e_value).toBeGreaterThanOrEqual(20_000);
    await other.stop();
    const { json } = await server.call('/v1/reputation/turning/changes');
    // It went on being bad, and is the same change: noticed when it was, and longer by now.
    expect(json.change).toMatchObject({ since: alarm.data.since, rate_since: 0 });
    expect(json.change.evaluations_since).toBeGreaterThanOrEqual(alarm.data.evaluations_since as number);
    expect(json.marks[0]).toMatchObject({ kind: 'change_detected' });
  });

  it('holds an agent to what it was before the verdicts that it looks at now', async () => {
    await station().look();
    // Far more than a window arrives between two looks.
    await ingest('improved', 250);
    await ingest('improved', 250, false);
    await ingest('improved', 500);
    await ingest('worsened', 500);
    await ingest('worsened', 250);
    await ingest('worsened', 250, false);
    const node = station();
    const alarms = async () => {
      await node.look();
      const { json } = await server.call('/v1/alerts?limit=200&order=newest');
      return json.items.filter(
        ({ kind, subject }: Told & { kind: string }) =>
          kind === 'change_detected' && ['improved', 'worsened'].includes(subject),
      );
    };
    const told = await waitFor(alarms, 1);
    now += 31_000;
    await node.look();
    expect(told.map(({ subject }) => subject)).toEqual(['worsened']);
    expect((await server.call('/v1/reputation/improved/changes')).json).toMatchObject({ change: null });
    await node.stop();
  });

  it('takes up a baseline that is declared later', async () => {
    await ingest('declared', 100);
    const node = station();
    now += 31_000;
    await node.look();
    await admin('/v1/settings', 'PATCH', { baseline_pass_rate: 0.95 });
    await ingest('declared', 30, false);
    const alarms = async () => {
      await node.look();
      const { json } = await server.call('/v1/alerts?limit=200&order=newest');
      return json.items.filter(({ subject }: Told) => subject === 'declared');
    };
    expect((await waitFor(alarms, 1))[0]).toMatchObject({ data: { baseline: 0.95, rate_since: 0 } });
    await node.stop();
    await admin('/v1/settings', 'PATCH', { baseline_pass_rate: null });
  });

  it('says what was cut off between its turn and its saying, once', async () => {
    const { documents } = server.context.store;
    let failures = 1;
    const put: typeof documents.put = async (orgId, write, audit) => {
      if (write.kind === 'alert' && failures-- > 0) throw new Error('The disk is full.');
      return documents.put(orgId, write, audit);
    };
    const store = { ...server.context.store, documents: { ...documents, put } };
    const alert = { kind: 'coverage_lost' as const, subject: 'cut-off', message: 'Lost.', data: {} };
    const context = { ...server.context, store };
    await expect(raiseAlert(context, 'acme', { alert, log: LOG })).rejects.toThrow('full');
    const about = async () => {
      const { json } = await server.call('/v1/alerts?limit=200&order=newest');
      return json.items.filter(({ subject }: Told) => subject === 'cut-off').length;
    };
    expect([await about(), await raiseAlert(context, 'acme', { alert, log: LOG })]).toEqual([0, null]);
    await finishPending(context, 'acme', LOG);
    // Somebody may be in the middle of it.
    expect(await about()).toBe(0);
    now += 61_000;
    await finishPending(context, 'acme', LOG);
    await finishPending(context, 'acme', LOG);
    expect(await about()).toBe(1);
  });

  it('takes no verdict in twice when it fails in the middle', async () => {
    await admin('/v1/settings', 'PATCH', { score_floor: 1, baseline_pass_rate: 0.95 });
    const { evaluations } = server.context.store;
    let failures = 3;
    const reputation: typeof evaluations.reputation = async (orgId, agentId) => {
      if (agentId === 'shaky' && failures-- > 0) throw new Error('The disk is away.');
      return evaluations.reputation(orgId, agentId);
    };
    const store = { ...server.context.store, evaluations: { ...evaluations, reputation } };
    const watcher = new Watcher({ ...server.context, store }, 'acme', { log: LOG });
    for (let i = 0; i < 3; i++) {
      now += 31_000;
      await watcher.look();
    }
    await ingest('shaky', 60);
    await ingest('shaky', 2, false);
    for (let i = 0; i < 5; i++) {
      now += 1_000;
      await watcher.look().catch(() => undefined);
    }
    expect(failures).toBeLessThan(0);
    now += 31_000;
    await watcher.stop();
    const stored = await server.context.store.documents.get('acme', 'detector', 'shaky');
    expect(stored?.body).toMatchObject({ total: 62, change: null });
    await admin('/v1/settings', 'PATCH', { score_floor: null, baseline_pass_rate: null });
  });

  it('forgets an agent that is deleted, with what was said of it and its receipts', async () => {
    const { documents } = server.context.store;
    const about = async () => {
      const { json } = await server.call('/v1/alerts?limit=200');
      return json.items.filter(({ subject }: Told) => subject === 'turning').length;
    };
    const { json: receipt } = await admin('/v1/receipts', 'POST', { agent_id: 'turning' });
    expect(await about()).toBe(1);
    expect(await documents.get('acme', 'detector', 'turning')).not.toBeNull();
    expect((await admin('/v1/agents/turning', 'DELETE')).status).toBe(200);
    expect(await about()).toBe(0);
    const proof = await server.call(`/v1/receipts/${receipt.receipt_id}/proofs/any`);
    expect(proof).toMatchObject({ status: 404, json: { error: expect.stringContaining('receipt') } });
    // One of that name that comes later is a newcomer, also to a node that remembers the first.
    await ingest('turning', 5, false);
    const node = station();
    for (let i = 0; i < 5; i++) {
      now += 31_000;
      await node.look();
    }
    await node.stop();
    expect(await about()).toBe(0);
    const stored = await documents.get('acme', 'detector', 'turning');
    expect(stored?.body).toMatchObject({ change: null, total: 5 });
  });
});

/** The server watches too, and whichever of the two holds the lease takes its turn; time is moved past the other's lease. */
async function waitFor(read: () => Promise<Told[]>, count: number): Promise<Told[]> {
  for (let i = 0; i < 100; i++) {
    const items = await read();
    if (items.length >= count) return items;
    now += 31_000;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It never came.');
}
