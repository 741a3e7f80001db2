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
