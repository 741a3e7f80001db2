/** The part of opentelemetry-proto that our decoder reads, and some that it must skip, for protobufjs to encode. */
import protobuf from 'protobufjs';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValueList { repeated KeyValue values = 1; }
  message AnyValue {
    oneof value {
      string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
      ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
    }
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
  message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
  message LogRecord {
    fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
    repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8; bytes trace_id = 9;
    bytes span_id = 10; fixed64 observed_time_unix_nano = 11; string event_name = 12;
  }
  message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
  message Logs { repeated ResourceLogs resource_logs = 1; }

  message SpanEvent { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
    repeated SpanEvent events = 11; Status status = 15;
  }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Traces { repeated ResourceSpans resource_spans = 1; }

  message NumberDataPoint {
    fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; repeated KeyValue attributes = 7;
    oneof value { double as_double = 4; sfixed64 as_int = 6; }
  }
  message Gauge { repeated NumberDataPoint data_points = 1; }
  message Sum { repeated NumberDataPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message Metric { string name = 1; string description = 2; string unit = 3; oneof data { Gauge gauge = 5; Sum sum = 7; } }
  message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`);

const MESSAGES = { logs: 'Logs', traces: 'Traces', metrics: 'Metrics' } as const;

/** A batch in the JSON mapping of OTLP, as protobufjs encodes it. */
export function encodeOtlp(signal: keyof typeof MESSAGES, batch: object): Buffer {
  const type = root.lookupType(MESSAGES[signal]);
  const message = type.fromObject(withBinaryIds(batch) as Record<string, unknown>);
  return Buffer.from(type.encode(message).finish());
}

/** OTLP writes ids in hex where the JSON mapping of protobuf has base64. */
function withBinaryIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBinaryIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(inner), 'hex') : withBinaryIds(inner),
    ]),
  );
}
