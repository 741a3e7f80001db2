import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAlertStation } from '../../src/service/alerts/alert-station.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface LogRecord {
  eventName: string;
  traceId?: string;
  timeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

const records: LogRecord[] = [];
let status = 200;
let collector: Server;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (status === 200 && request.url === '/v1/logs')
        records.push(...JSON.parse(Buffer.concat(chunks).toString()).resourceLogs[0].scopeLogs[0].logRecords);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await server.stop();
  collector.close();
});

it('verdicts go to a collector as gen_ai.evaluation.result events, and wait while it is away', async () => {
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (_: object, message: string) => warnings.push(message) };
  const exporting = { url, version: '0.0.0' };
  const station = createAlertStation(server.context, { isAllowed: () => false, log, exporting });
  const evaluate = (output: string, trace_id: string) =>
    server.call('/v1/evaluate', { body: { agent_id: 'bot', output, trace_id, session_id: 's', model: 'm' } });
  await evaluate('before it was switched on', 'x');
  await station.look();
  expect(records).toEqual([]);

  await evaluate('A fine answer.', '0af7651916cd43dd8448eb211c80319c');
  status = 503;
  await station.look();
  expect(warnings).toEqual(['verdicts were not exported']);
  status = 200;
  await evaluate('mail me at someone@corp-mail.com', 'not-hex');
  await station.look();
  await station.look();
  await station.stop();

  expect(records.map(({ eventName, traceId }) => [eventName, traceId])).toEqual([
    ['gen_ai.evaluation.result', '0af7651916cd43dd8448eb211c80319c'],
    ['gen_ai.evaluation.result', undefined],
  ]);
  const attributes = records.map((record) =>
    Object.fromEntries(record.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  );
  expect(attributes).toMatchObject([
    {
      'gen_ai.evaluation.name': 'renown.gates',
      'gen_ai.evaluation.score.value': 1,
      'gen_ai.evaluation.score.label': 'pass',
      'gen_ai.agent.id': 'bot',
      'gen_ai.conversation.id': 's',
      'gen_ai.request.model': 'm',
      'renown.evaluation.known_as': 'server',
    },
    {
      'gen_ai.evaluation.score.label': 'fail',
      'gen_ai.evaluation.explanation': expect.stringContaining('pii'),
    },
  ]);
  expect(JSON.stringify(records)).not.toContain('someone@');
});

it('what runs find for sessions goes there too, once, and waits while it is away', async () => {
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const own = await startServer({ settings: { otlp_export_url: url } });
  const log = { info() {}, error() {}, warn() {} };
  const exporting = { url, version: '0.0.0' };
  const station = createAlertStation(own.context, { isAllowed: () => false, log, exporting });
  const traces = [{ session_id: 'seen', trace_id: 't', agent_id: 'bot', signals: { confidence: 0.4 } }];
  await own.call('/v1/signals', { body: { traces } });
  const body = { session_ids: ['seen', 'unseen'], metrics: ['agent_reliability'] };
  expect((await own.call('/v1/session-runs', { key: own.sk, body })).status).toBe(202);
  await own.scheduler.look();
  await own.scheduler.idle();
  records.length = 0;
  status = 503;
  await station.look();
  status = 200;
  await station.look();
  await station.look();
  const told = records.map(({ attributes }) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  );
  expect(
    told.sort((a, b) =>
      String(a['gen_ai.conversation.id']).localeCompare(String(b['gen_ai.conversation.id'])),
    ),
  ).toMatchObject([
    {
      'gen_ai.evaluation.name': 'renown.agent_reliability',
      'gen_ai.conversation.id': 'seen',
      'gen_ai.agent.id': 'bot',
      'gen_ai.evaluation.score.value': expect.closeTo(0.4, 9),
      'gen_ai.evaluation.score.label': 'fail',
    },
    { 'gen_ai.conversation.id': 'unseen', 'gen_ai.evaluation.score.label': 'not_enough_evidence' },
  ]);
  expect(told.at(-1)).not.toHaveProperty('gen_ai.evaluation.score.value');
  await station.stop();
  await own.stop();
});
