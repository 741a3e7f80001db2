/** Turns that wait for a judge who does not answer, or not at once. */
import { afterEach, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { JudgeQueue } from '../../src/service/judge-queue.ts';
import { SignalJudge } from '../../src/service/signal-judge.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import type { PassedTurn } from '../../src/telemetry/signals/turn-collector.ts';
import { type Behaviour, type MisbehavingServer, startMisbehaving } from '../support/misbehaving-server.ts';

const turn = (n: number): PassedTurn => ({
  orgId: 'acme',
  agentId: null,
  sessionId: 's',
  traceId: `t${n}`,
  startedAt: null,
  request: null,
  answers: [`answer ${n}`],
  calls: [],
  tools: null,
});

let model: MisbehavingServer;
afterEach(() => model.close());

async function open(behaviour: Behaviour) {
  model = await startMisbehaving(behaviour);
  const judge = new SignalJudge({ url: model.url, model: 'small', key: '', timeoutMs: 3_600_000 });
  const store = createMemoryStore({ clock: () => 1 });
  return { judge, store, queue: new JudgeQueue({ store }, judge) };
}

it('are no more than the queue holds, and given up when the server stops', async () => {
  const { judge, queue } = await open('hang');
  const room = LIMITS.judgeLanes + LIMITS.judgeQueueMax;
  for (let n = 0; n < room + 7; n++) queue.offer(turn(n));
  expect(judge.faults).toEqual({ no_room: 7 });
  await expect.poll(() => model.received.length).toBe(LIMITS.judgeLanes);
  await queue.stop();
  expect(judge.faults).toEqual({ no_room: 7, stopped: room });
  expect(model.received).toHaveLength(LIMITS.judgeLanes);
});

it('are kept when they are judged, and counted when they cannot be', async () => {
  const content = JSON.stringify({ confidence: 0.5, tool_correctness: null, coherence: null });
  const { judge, store, queue } = await open({ status: 200, json: { choices: [{ message: { content } }] } });
  for (let n = 0; n < 20; n++) queue.offer(turn(n));
  await queue.stop();
  const traces = (await store.signals.read('acme', ['s'])).get('s')?.traces ?? [];
  expect(traces).toHaveLength(20);
  expect(traces[0]).toMatchObject({ signals: { confidence: 0.5 } });
  store.signals.append = () => Promise.reject(new Error('away'));
  queue.offer(turn(20));
  await expect.poll(() => judge.faults).toEqual({ not_kept: 1 });
});
