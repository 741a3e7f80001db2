/**
 * Answers of the OTLP receiver, in the encoding of the request: an export response, with a partial success only where
 * something was rejected, and a `google.rpc.Status` for an error. Source: opentelemetry-proto, docs/specification.md.
 */
import { ERRORS, type RenownError } from '../core/errors.ts';
import type { OtlpSignal } from '../telemetry/otlp/protobuf.ts';
import type { OtlpEncoding } from '../telemetry/request-reader.ts';
import type { Reply } from './route.ts';

const PROTOBUF = 'application/x-protobuf';

const REJECTED = { logs: 'rejectedLogRecords', traces: 'rejectedSpans', metrics: 'rejectedDataPoints' };

export const OTLP_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: PROTOBUF,
  json: 'application/json',
};

export function toExportReply(
  { signal, encoding }: { signal: OtlpSignal; encoding: OtlpEncoding },
  { rejected, reason }: { rejected: number; reason: string },
): Reply {
  if (encoding === 'json') {
    // 64-bit numbers are texts in OTLP's JSON.
    const partialSuccess = { [REJECTED[signal]]: String(rejected), errorMessage: reason };
    return { json: rejected === 0 ? {} : { partialSuccess } };
  }
  const partial = Buffer.concat([varintField(1, rejected), textField(2, reason)]);
  return protobuf(200, rejected === 0 ? Buffer.alloc(0) : bytesField(1, partial));
}

/** A `google.rpc.Status`, as protobuf for those who speak it, and else as our own error, which says the same. */
export function toStatusReply(error: RenownError): Reply {
  const { status } = ERRORS[error.code];
  const code = RPC_CODES[status] ?? (status < 500 ? RPC_CODES[400] : RPC_CODES[500]) ?? 2;
  return protobuf(status, Buffer.concat([varintField(1, code), textField(2, error.message)]));
}

const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 3,
  429: 8,
  500: 13,
  503: 14,
};

function protobuf(status: number, body: Buffer): Reply {
  return { status, text: { type: PROTOBUF, body } };
}

function varintField(field: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([field << 3, ...varint(value)]);
}

function textField(field: number, text: string): Buffer {
  return text === '' ? Buffer.alloc(0) : bytesField(field, Buffer.from(text));
}

function bytesField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return bytes;
}
