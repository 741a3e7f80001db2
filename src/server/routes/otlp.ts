/** The OTLP/HTTP receiver: three routes, on a port of their own and under /otlp on the main one. */
import type { IncomingMessage } from 'node:http';
import { exportAnswer } from '../../core/contract/telemetry.ts';
import type { Forwarder } from '../../service/otlp/forwarder.ts';
import type { TelemetryIntake } from '../../service/telemetry-intake.ts';
import type { OtlpSignal } from '../../telemetry/otlp/protobuf.ts';
import type { OtlpEncoding } from '../../telemetry/request-reader.ts';
import { checkDepth } from '../json-depth.ts';
import type { Metrics } from '../metrics.ts';
import { OTLP_TYPES, toExportReply, toStatusReply } from '../otlp-reply.ts';
import { toErrorReply } from '../reply.ts';
import type { Access, Route } from '../route.ts';

export interface OtlpContext {
  intake: TelemetryIntake;
  /** Null unless the operator has named an endpoint. */
  forwarder: Forwarder | null;
  metrics: Metrics;
}

const WHAT: Readonly<Record<OtlpSignal, string>> = {
  logs: 'log records',
  traces: 'spans',
  metrics: 'metrics',
};

export function otlpRoutes(
  context: OtlpContext,
  { prefix, access }: { prefix: string; access: Access },
): Route[] {
  return (Object.keys(WHAT) as OtlpSignal[]).map((signal) => ({
    method: 'POST',
    path: `${prefix}/v1/${signal}`,
    access,
    tag: 'Telemetry',
    summary: `Take ${WHAT[signal]} as OTLP, protobuf or JSON`,
    description:
      'What coding agents send. Kept are ids, names, numbers and times; texts are looked at and dropped. The same request ' +
      'again changes nothing. Records of an agent that name no session are rejected, and counted as a partial success.',
    raw: { types: Object.values(OTLP_TYPES) },
    answers: {
      200: {
        description: 'On disk; in the encoding of the request',
        schema: exportAnswer,
        type: Object.values(OTLP_TYPES),
      },
    },
    refuse: (error, { request, requestId }) =>
      encodingOf(request) === 'protobuf' ? toStatusReply(error) : toErrorReply(error, requestId),
    async handle({ caller, body, bytes, request }) {
      const encoding = encodingOf(request);
      const unpacked = body as Buffer;
      if (encoding === 'json') checkDepth(unpacked);
      const taken = await context.intake.take({ orgId: caller.orgId, signal, encoding, bytes: unpacked });
      context.metrics.countTelemetry(signal, taken);
      context.forwarder?.offer({ signal, bytes, headers: headersOf(request) });
      return toExportReply({ signal, encoding }, taken);
    },
  }));
}

function encodingOf({ headers }: IncomingMessage): OtlpEncoding {
  return headers['content-type']?.startsWith(OTLP_TYPES.protobuf) ? 'protobuf' : 'json';
}

/** Those that say how to read the body, and none that say who sent it. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return {
    'content-type': headers['content-type'] ?? OTLP_TYPES.json,
    ...(headers['content-encoding'] !== undefined && { 'content-encoding': headers['content-encoding'] }),
  };
}
