/** Builds OTLP JSON as agents and collectors write it. */

export type Plain = string | number | boolean;

export interface Log {
  /** Goes to `body`, as Claude Code does, unless `eventName` or an `event.name` attribute is given instead. */
  name?: string;
  eventName?: string;
  at: number;
  attributes?: Record<string, Plain>;
}

export interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  from: number;
  to: number;
  failed?: boolean;
  attributes?: Record<string, Plain>;
  events?: Log[];
}

interface Origin {
  resource?: Record<string, Plain>;
  scope?: string;
}

export function logBatch(logs: readonly Log[], { resource = {}, scope = '' }: Origin = {}): object {
  return {
    resourceLogs: [
      {
        resource: { attributes: attributes(resource) },
        scopeLogs: [{ scope: { name: scope, version: '1' }, logRecords: logs.map(logRecord) }],
      },
    ],
  };
}

export function spanBatch(spans: readonly Span[], { resource = {}, scope = '' }: Origin = {}): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes(resource) },
        scopeSpans: [
          {
            scope: { name: scope },
            spans: spans.map(({ from, to, failed, events = [], attributes: own = {}, ...ids }) => ({
              ...ids,
              kind: 1,
              startTimeUnixNano: nanos(from),
              endTimeUnixNano: nanos(to),
              attributes: attributes(own),
              events: events.map(({ name, at, attributes: more = {} }) => ({
                name,
                timeUnixNano: nanos(at),
                attributes: attributes(more),
              })),
              status: failed ? { code: 2, message: 'it failed' } : {},
            })),
          },
        ],
      },
    ],
  };
}

export interface Metric {
  name: string;
  value: number;
  from: number;
  to: number;
  temporality: 'delta' | 'cumulative' | 'gauge';
  attributes?: Record<string, Plain>;
}

export function metricBatch(metrics: readonly Metric[], { resource = {}, scope = '' }: Origin = {}): object {
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributes(resource) },
        scopeMetrics: [{ scope: { name: scope }, metrics: metrics.map(metric) }],
      },
    ],
  };
}

export function lines(batches: readonly object[]): string {
  return batches.map((batch) => `${JSON.stringify(batch)}\n`).join('');
}

function attributes(values: Record<string, Plain>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function metric({ name, value, from, to, temporality, attributes: own = {} }: Metric): object {
  const dataPoints = [
    {
      startTimeUnixNano: nanos(from),
      timeUnixNano: nanos(to),
      attributes: attributes(own),
      ...(Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value }),
    },
  ];
  if (temporality === 'gauge') return { name, gauge: { dataPoints } };
  const aggregationTemporality = temporality === 'delta' ? 1 : 2;
  return { name, sum: { dataPoints, aggregationTemporality, isMonotonic: true } };
}

function logRecord({ name, eventName, at, attributes: own = {} }: Log): object {
  return {
    timeUnixNano: nanos(at),
    observedTimeUnixNano: nanos(at + 5),
    ...(name !== undefined && { body: { stringValue: name } }),
    ...(eventName !== undefined && { eventName }),
    attributes: attributes(own),
  };
}

function anyValue(value: Plain): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function nanos(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`;
}
