/** A monitor whose run fails, and one whose sessions get worse: both are told. */
import { afterEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
afterEach(() => server.stop());

const START = Date.parse('2026-11-10T10:00:00Z');

async function createMonitor(): Promise<string> {
  const body = { name: 'Nightly', cadence: 'daily', filter: {}, metrics: ['agent_reliability'] };
  return (await server.call('/v1/session-monitors', { key: server.sk, body })).json.monitor_id;
}

async function runNow(monitorId: string): Promise<void> {
  const path = `/v1/session-monitors/${monitorId}/trigger`;
  expect((await server.call(path, { method: 'POST', key: server.sk })).status).toBeLessThan(300);
  await server.scheduler.look();
  await server.scheduler.idle();
}

/** Sessions in the order of time, good or bad. */
async function report(from: number, verdicts: readonly boolean[]): Promise<void> {
  const traces = verdicts.map((good, i) => ({
    session_id: `s-${from + i}`,
    trace_id: 't',
    agent_id: 'worker',
    started_at: START + (from + i) * 1_000,
    signals: good
      ? { confidence: 0.95, coherence: 0.95, tool_correctness: 1, loop_detection: 1 }
      : { confidence: 0.05, coherence: 0.05, tool_correctness: 0, loop_detection: 0 },
  }));
  expect((await server.call('/v1/signals', { body: { traces } })).status).toBeLessThan(300);
}

const alerts = async () => (await server.call('/v1/alerts', { key: server.sk })).json.items;

describe('a monitor', () => {
  it('says that its sessions got worse, since when and how sure, and counts each session once', async () => {
    server = await startServer();
    const settings = { baseline_pass_rate: 0.95 };
    await server.call('/v1/settings', { method: 'PATCH', key: server.sk, body: settings });
    const monitorId = await createMonitor();
    await report(0, Array(60).fill(true));
    await runNow(monitorId);
    // The same sessions again are no news.
    await runNow(monitorId);
    const healthy = (await server.call(`/v1/session-monitors/${monitorId}`)).json;
    expect(healthy.detectors).toEqual([
      { metric: 'agent_reliability', sessions: 60, baseline_pass_rate: 0.95, change: null },
    ]);
    expect(await alerts()).toEqual([]);
    await report(60, Array(20).fill(false));
    await runNow(monitorId);
    const worse = (await server.call(`/v1/session-monitors/${monitorId}`)).json;
    expect(worse.detectors[0].change).toMatchObject({ rate_since: 0, e_value: expect.any(Number) });
    expect(worse.detectors[0].change.e_value).toBeGreaterThanOrEqual(20_000);
    // Nothing before the first bad one was bad.
    expect(Date.parse(worse.detectors[0].change.detected_at)).toBeGreaterThanOrEqual(START + 60_000);
    expect(await alerts()).toMatchObject([
      { kind: 'change_detected', subject: monitorId, message: expect.stringContaining('got worse') },
    ]);
  });

  it('that cannot read its sessions raises monitor_failed', async () => {
    server = await startServer();
    const monitorId = await createMonitor();
    await report(0, [true]);
    const { signals } = server.context.store;
    signals.read = () => Promise.reject(new Error('the disk is gone'));
    await runNow(monitorId);
    const [alert] = await alerts();
    expect(alert).toMatchObject({ kind: 'monitor_failed', subject: monitorId, data: { failed: 1 } });
  });
});
