import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toReport } from '../../src/service/turn-report.ts';
import type { Extracted } from '../../src/telemetry/signals/extract-signals.ts';
import { startMisbehaving } from '../support/misbehaving-server.ts';
import { logBatch, metricBatch, spanBatch } from '../support/otlp.ts';
import { encodeOtlp } from '../support/otlp-proto.ts';
import { type Answered, keysOf, send, startServer, type TestServer } from '../support/server.ts';
import { work } from '../support/work.ts';

const AT = Date.UTC(2026, 10, 15, 9);
const PROTOBUF = { 'content-type': 'application/x-protobuf' };

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the OTLP receiver', () => {
  it('makes a session with a verdict of what Claude Code sends', async () => {
    expect((await post('/v1/logs', work('json', { at: AT, agentId: 'my-claude' }))).json).toEqual({});
    const { json } = await server.call('/v1/sessions/json');
    expect(json).toMatchObject({ session_id: 'json', agent_id: 'my-claude', state: 'open', judged_at: null });
    expect(json.verdicts).toHaveLength(1);
    expect(json.verdicts[0]).toMatchObject({
      duration_min: 10,
      stats: {
        total_tools: 4,
        tools_ok: 3,
        prompts: 1,
        total_cost: 0.02,
        total_tokens: 1000,
        cache_tokens: 600,
      },
      session: { session_id: 'json', agent_id: 'my-claude', dialects: ['claude-code'] },
    });
  });

  it('reads protobuf as it reads JSON, gzipped or not, on either port', async () => {
    const bytes = encodeOtlp('logs', work('proto', { at: AT }));
    const answers = [
      await post('/v1/logs', bytes, PROTOBUF),
      await post('/v1/logs', gzipSync(bytes), { ...PROTOBUF, 'content-encoding': 'gzip' }),
      await server.call('/otlp/v1/logs', { body: bytes, headers: PROTOBUF }),
      await server.call('/otlp/v1/logs', {
        body: gzipSync(JSON.stringify(work('proto', { at: AT }))),
        headers: { 'content-encoding': 'gzip' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(answers[0]?.text).toBe('');
    await post('/v1/logs', work('json-too', { at: AT }));
    // Four times told, it is what it is when told once.
    expect(await verdictOn('proto')).toEqual(await verdictOn('json-too'));
  });

  it('makes one session of logs, spans and metrics, in whatever order they come', async () => {
    const own = { 'session.id': 'mixed' };
    const resource = { resource: { 'service.name': 'claude-code' } };
    await post(
      '/v1/metrics',
      metricBatch(
        [
          {
            name: 'claude_code.commit.count',
            value: 2,
            from: AT,
            to: AT + 60_000,
            temporality: 'delta',
            attributes: own,
          },
        ],
        resource,
      ),
    );
    const span = { traceId: '0'.repeat(31).concat('1'), spanId: '0'.repeat(15).concat('1') };
    await post(
      '/v1/traces',
      spanBatch(
        [{ ...span, name: 'claude_code.interaction', from: AT - 60_000, to: AT, attributes: own }],
        resource,
      ),
    );
    await post('/v1/logs', work('mixed', { at: AT }));
    const [verdict] = (await server.call('/v1/sessions/mixed')).json.verdicts;
    expect(verdict).toMatchObject({
      duration_min: 11,
      stats: { total_tools: 4 },
      outcomes: { 'commit.count': 2 },
    });
  });

  it('counts a session once, however it is cut up and repeated', async () => {
    const whole = work('halves', { at: AT }) as { resourceLogs: [{ scopeLogs: [{ logRecords: object[] }] }] };
    const records = whole.resourceLogs[0].scopeLogs[0].logRecords;
    const part = (from: number, to: number) => {
      const copy = structuredClone(whole);
      copy.resourceLogs[0].scopeLogs[0].logRecords = records.slice(from, to);
      return copy;
    };
    for (const half of [part(3, 6), part(0, 4), part(3, 6)]) await post('/v1/logs', half);
    await post('/v1/logs', work('whole', { at: AT }));
    expect(await verdictOn('halves')).toEqual(await verdictOn('whole'));
  });

  it('says what it rejected as the protocol says it, and keeps the rest', async () => {
    const batch = logBatch(
      [
        { name: 'claude_code.user_prompt', at: AT },
        { name: 'claude_code.user_prompt', at: AT, attributes: { 'session.id': 'x'.repeat(201) } },
        { name: 'claude_code.user_prompt', at: AT, attributes: { 'session.id': 'kept' } },
      ],
      { resource: { 'service.name': 'claude-code' } },
    );
    const { status, json } = await post('/v1/logs', batch);
    expect(status).toBe(200);
    expect(json).toEqual({
      partialSuccess: {
        rejectedLogRecords: '2',
        errorMessage: '1 name no session, 1 have an id that is too long or a number that is out of range',
      },
    });
    const answer = await post('/v1/logs', encodeOtlp('logs', batch), PROTOBUF);
    expect(decode(RESPONSE, answer)).toMatchObject({
      partialSuccess: { rejected: 2, errorMessage: expect.stringContaining('1 name no session') },
    });
    expect((await server.call('/v1/sessions/kept')).json.verdicts[0].stats.prompts).toBe(1);
  });

  it('lets no record in whose numbers would spoil its session', async () => {
    const requests = ['1e308', '1e308', '20'].map((input_tokens, i) => ({
      name: 'claude_code.api_request',
      at: AT + i,
      attributes: { 'session.id': 'odd', request_id: `r${i}`, input_tokens },
    }));
    const { json } = await post(
      '/v1/logs',
      logBatch(requests, { resource: { 'service.name': 'claude-code' } }),
    );
    expect(json.partialSuccess.rejectedLogRecords).toBe('2');
    const session = await server.call('/v1/sessions/odd');
    expect(session.json.verdicts[0].stats.total_tokens).toBe(20);
  });

  it('passes over what no agent sent, and counts it', async () => {
    const before = await counted('unknown');
    const batch = logBatch([{ name: 'GET /', at: AT }], { resource: { 'service.name': 'shop' } });
    expect((await post('/v1/logs', batch)).json).toEqual({});
    expect(await counted('unknown')).toBe(before + 1);
  });

  it.each([
    ['text/plain', '{}', 415],
    ['application/json; charset=latin1', '{}', 415],
    ['application/json', '[]', 400],
    ['application/json', '{"resourceLogs":[{]}', 400],
    ['application/json', `{"x":${'['.repeat(100)}${']'.repeat(100)}}`, 400],
    ['application/json', '{}', 200],
    ['application/x-protobuf', '', 200],
    ['application/x-protobuf', '\xff\xff\xff', 400],
  ])('answers %s with the body %s by %i', async (type, body, status) => {
    const answer = await post('/v1/logs', Buffer.from(body, 'latin1'), { 'content-type': type });
    expect(answer.status).toBe(status);
    if (status === 400 && type.includes('protobuf')) {
      expect(decode(STATUS, answer)).toMatchObject({ code: 3, message: expect.stringContaining('OTLP') });
    }
  });

  it('survives any bytes, and any damage to good ones', async () => {
    const good = encodeOtlp('logs', work('damaged', { at: AT }));
    const damaged = fc
      .array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 })
      .map((changes) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    const signal = fc.constantFrom('logs', 'traces', 'metrics');
    const type = fc.constantFrom('application/x-protobuf', 'application/json');
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, anything), signal, type, async (bytes, path, contentType) => {
        const { status } = await post(`/v1/${path}`, bytes, { 'content-type': contentType });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 300, seed: 6 },
    );
    expect((await server.call('/health')).status).toBe(200);
  });

  it('needs no key from this machine, and one from anywhere else', async () => {
    const body = work('keys', { at: AT });
    const refusals = [
      await send(server.url, '/otlp/v1/logs', { key: null, body }),
      await post('/v1/logs', body, { 'x-forwarded-for': '192.0.2.1' }),
      await post('/v1/logs', body, { host: 'evil.example:4318' }),
      await post('/v1/logs', body, { authorization: 'Bearer pk_live_unknown' }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const asProtobuf = await send(server.url, '/otlp/v1/logs', {
      key: null,
      body: encodeOtlp('logs', body),
      headers: PROTOBUF,
    });
    expect(decode(STATUS, asProtobuf)).toMatchObject({ code: 16 });
    expect((await server.call('/v1/sessions/keys')).status).toBe(404);
  });

  it('gives a session to the org of the key, and to no other', async () => {
    const [pk] = await keysOf(server, 'rival');
    await send(receiver(), '/v1/logs', { key: pk, body: work('rivals', { at: AT }) });
    expect((await server.call('/v1/sessions/rivals')).status).toBe(404);
    expect((await server.call('/v1/sessions/rivals', { key: pk })).status).toBe(200);
  });

  it('takes the best name there is for an agent', async () => {
    const named = (attributes: Record<string, string>) =>
      logBatch([{ name: 'claude_code.user_prompt', at: AT, attributes: { 'session.id': 'named' } }], {
        resource: { 'service.name': 'claude-code', ...attributes },
      });
    const owner = async () => (await server.call('/v1/sessions/named')).json.agent_id;
    await post('/v1/logs', named({}));
    expect(await owner()).toBe('claude-code');
    await post('/v1/logs', named({ 'gen_ai.agent.id': 'by-id' }));
    expect(await owner()).toBe('by-id');
    await post('/v1/logs', named({ 'renown.agent_id': 'mine' }));
    await post('/v1/logs', named({ 'gen_ai.agent.name': 'by-name' }));
    expect(await owner()).toBe('mine');
  });
});

describe('signals of what passes by', () => {
  it('leave out what is no number from 0 to 1', () => {
    const turn = { sessionId: 's', traceId: 't', agentId: null, startedAt: null };
    const of = (signals: Extracted['signals']) => toReport(turn, { signals, source: 'x' });
    expect(of({ confidence: Number.NaN, coherence: 0.5, loop_detection: 1.1 })).toEqual({
      ...turn,
      signals: { coherence: 0.5 },
      tags: [],
      source: 'x',
    });
    expect(of({ confidence: Number.NaN })).toBeNull();
  });
});

describe('a receiver whose port is taken', () => {
  it('says so, and the server goes on', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const without = await startServer({ settings: { otlp_port: port } });
    expect(without.receiver).toEqual({
      url: null,
      problem: `Telemetry is not received on 127.0.0.1:${port}: another program listens there.`,
    });
    expect(without.log.join('')).toContain('Telemetry is not received');
    const answer = await without.call('/otlp/v1/logs', { body: work('s', { at: AT }) });
    expect(answer.status).toBe(200);
    await without.stop();
    other.close();
  });

  it('does not listen at all where it is switched off', async () => {
    const without = await startServer({ settings: { otlp_port: 'off' } });
    expect(without.receiver).toEqual({ url: null, problem: null });
    await without.stop();
  });
});

describe('the forwarder', () => {
  it('passes on what was received, as it was sent', async () => {
    const collector = await startMisbehaving({ status: 200 });
    const forwarding = await startServer({ settings: { otlp_forward_url: `${collector.url}/` } });
    const body = work('s', { at: AT });
    await send(forwarding.receiver.url ?? '', '/v1/logs', { key: null, body });
    await forwarding.call('/otlp/v1/traces', { body: {} });
    await forwarding.stop();
    expect(collector.received.map(({ path, body: sent }) => [path, sent])).toEqual([
      ['/v1/logs', body],
      ['/v1/traces', {}],
    ]);
    // Who sent it is nobody else's business.
    expect(collector.received[1]?.headers.authorization).toBeUndefined();
    await collector.close();
  });

  it('holds nobody up, and counts what the other end does not take', async () => {
    const collector = await startMisbehaving({ status: 500 });
    const forwarding = await startServer({ settings: { otlp_forward_url: collector.url } });
    const answer = await forwarding.call('/otlp/v1/logs', { body: work('s', { at: AT }) });
    expect(answer.status).toBe(200);
    await expect
      .poll(async () => (await forwarding.call('/metrics')).text)
      .toContain('renown_forward_drops_total 1');
    await forwarding.stop();
    await collector.close();
  });
});

describe('the judge of the receiver', () => {
  const given = { confidence: 0.25, tool_correctness: null, coherence: 0.75 };
  const good = { status: 200, json: { choices: [{ message: { content: JSON.stringify(given) } }] } };
  const settingsFor = (url: string) => ({ judge_url: `${url}/v1`, judge_model: 'small' });
  const turn = (id: string, at: number) => [
    {
      name: 'claude_code.user_prompt',
      at,
      attributes: { 'session.id': 's', 'prompt.id': id, prompt: ASKED },
    },
    { name: 'claude_code.assistant_response', at: at + 1, attributes: { 'session.id': 's', response: SAID } },
    { name: 'claude_code.assistant_response', at: at + 2, attributes: { 'session.id': 's', response: id } },
  ];
  const ASKED = 'Please list the files below the folder of the importer';
  const SAID = 'These are the files below the folder of the importer, and all of them are well.';
  const passTurns = (judging: TestServer, ...ids: string[]) =>
    judging.call('/otlp/v1/logs', {
      body: logBatch(
        ids.flatMap((id, i) => turn(id, AT + i * 1_000)),
        { resource: { 'service.name': 'claude-code' } },
      ),
    });
  const tracesOf = async (judging: TestServer) =>
    (await judging.call('/v1/sessions/s/traces')).json?.traces.map(
      (trace: { signals: object }) => trace.signals,
    );

  it('is asked after the commit, and says what extractors then leave to it', async () => {
    const model = await startMisbehaving(good);
    const judging = await startServer({ settings: settingsFor(model.url) });
    expect((await passTurns(judging, 'first', 'second')).status).toBe(200);
    await expect
      .poll(() => tracesOf(judging))
      .toEqual([{ confidence: 0.25, coherence: 0.75, loop_detection: 1 }]);
    expect(model.received).toHaveLength(1);
    expect((await judging.call('/metrics')).text).toContain('renown_judge_answers_total 1');
    await judging.stop();
    await model.close();
  });

  it('fails without failing anybody: its signals are absent, and it is counted', async () => {
    const model = await startMisbehaving({ status: 500 });
    const judging = await startServer({ settings: settingsFor(model.url) });
    expect((await passTurns(judging, 'first', 'second')).status).toBe(200);
    await expect
      .poll(async () => (await judging.call('/metrics')).text)
      .toContain('renown_judge_faults_total{kind="refused"} 1');
    expect(await tracesOf(judging)).toEqual([{ loop_detection: 1 }]);
    await judging.stop();
    await model.close();
  });
});

function receiver(): string {
  return server.receiver.url ?? '';
}

function post(path: string, body: object | Buffer, headers: Record<string, string> = {}) {
  return send(receiver(), path, { key: null, body, headers });
}

/** What was found of a session, but for whose it is. */
async function verdictOn(sessionId: string) {
  const [{ session: _, ...verdict }] = (await server.call(`/v1/sessions/${sessionId}`)).json.verdicts;
  return verdict;
}

async function counted(outcome: string): Promise<number> {
  const { text } = await server.call('/metrics');
  const name = `renown_telemetry_records_total{signal="logs",outcome="${outcome}"}`;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1] ?? 0,
  );
}

const { root } = protobuf.parse(`
  syntax = "proto3";
  message PartialSuccess { int64 rejected = 1; string error_message = 2; }
  message Response { PartialSuccess partial_success = 1; }
  message Status { int32 code = 1; string message = 2; }
`);
const RESPONSE = root.lookupType('Response');
const STATUS = root.lookupType('Status');

function decode(type: protobuf.Type, { text }: Answered) {
  return type.toObject(type.decode(Buffer.from(text)), { longs: Number });
}
