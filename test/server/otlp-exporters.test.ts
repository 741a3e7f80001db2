/** The official exporters as clients: what they send arrives, and what is answered satisfies them. */
import { OTLPLogExporter as LogsAsJson } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as LogsAsProtobuf } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as MetricsAsJson } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as MetricsAsProtobuf } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as TracesAsJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as TracesAsProtobuf } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const AT = Date.UTC(2026, 10, 15, 9);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const resource = resourceFromAttributes({ 'service.name': 'claude-code', 'renown.agent_id': 'exported' });

describe.each([
  ['protobuf', LogsAsProtobuf, TracesAsProtobuf, MetricsAsProtobuf],
  ['JSON', LogsAsJson, TracesAsJson, MetricsAsJson],
] as const)('the official exporters over %s', (encoding, Logs, Traces, Metrics) => {
  it.each(['none', 'gzip'])('send logs, compression %s', async (compression) => {
    const sessionId = `logs-${encoding}-${compression}`;
    const exporter = new Logs({ url: urlOf('logs'), compression: compression as never });
    const provider = new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('com.anthropic.claude_code.events');
    const emit = (name: string, at: number, attributes: Record<string, string | number | boolean>) =>
      logger.emit({
        eventName: name,
        body: `claude_code.${name}`,
        timestamp: at,
        attributes: { 'session.id': sessionId, ...attributes },
      });
    emit('user_prompt', AT, { 'prompt.id': 'p1' });
    emit('tool_result', AT + 60_000, {
      tool_name: 'Bash',
      tool_use_id: 't1',
      success: 'true',
      duration_ms: 3,
    });
    emit('tool_result', AT + 120_000, { tool_name: 'Read', tool_use_id: 't2', success: false });
    emit('api_request', AT + 180_000, {
      model: 'claude-sonnet-4-5',
      input_tokens: '10',
      output_tokens: 20,
      cache_read_tokens: 70,
      cost_usd: 0.25,
    });
    await provider.shutdown();
    const { json } = await server.call(`/v1/sessions/${sessionId}`);
    expect(json.agent_id).toBe('exported');
    expect(json.verdicts[0]).toMatchObject({
      duration_min: 3,
      stats: {
        total_tools: 2,
        tools_ok: 1,
        prompts: 1,
        total_cost: 0.25,
        total_tokens: 100,
        cache_tokens: 70,
      },
      tool_mix: { Bash: { calls: 1, ok: 1 }, Read: { calls: 1, ok: 0 } },
    });
  });

  it('send spans', async () => {
    const sessionId = `spans-${encoding}`;
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'my-agent' }),
      spanProcessors: [new SimpleSpanProcessor(new Traces({ url: urlOf('traces') }))],
    });
    const tracer = provider.getTracer('agent');
    const span = (name: string, attributes: Record<string, string | number>) =>
      tracer
        .startSpan(name, {
          startTime: AT,
          attributes: { 'gen_ai.conversation.id': sessionId, 'gen_ai.agent.name': 'weather', ...attributes },
        })
        .end(AT + 60_000);
    span('execute_tool forecast', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'forecast',
    });
    span('chat gpt-5', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 50,
    });
    await provider.shutdown();
    const { json } = await server.call(`/v1/sessions/${sessionId}`);
    expect(json.agent_id).toBe('weather');
    expect(json.verdicts[0]).toMatchObject({
      duration_min: 1,
      stats: { total_tools: 1, tools_ok: 1, total_tokens: 150 },
    });
  });

  it('send metrics', async () => {
    const sessionId = `metrics-${encoding}`;
    const exporter = new Metrics({
      url: urlOf('metrics'),
      temporalityPreference: AggregationTemporality.DELTA,
    });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ resource, readers: [reader] });
    const lines = provider
      .getMeter('com.anthropic.claude_code')
      .createCounter('claude_code.lines_of_code.count');
    lines.add(12, { 'session.id': sessionId, type: 'added' });
    lines.add(30, { 'session.id': sessionId, type: 'added' });
    await provider.shutdown();
    const { json } = await server.call(`/v1/sessions/${sessionId}`);
    expect(json.verdicts[0].outcomes).toEqual({ 'lines_of_code.count/added': 42 });
    expect(json.verdicts[0].missing_inputs).toContain('total_tools');
  });
});

function urlOf(signal: string): string {
  return `${server.receiver.url}/v1/${signal}`;
}
