/** What the JSON form of an OTLP log record is made of. */

/** The body of one `POST /v1/logs`. */
export function toLogsRequest(logRecords: readonly object[], version: string): object {
  return {
    resourceLogs: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'renown', 'service.version': version }) },
        scopeLogs: [{ scope: { name: 'renown', version }, logRecords }],
      },
    ],
  };
}

type Value = string | number | boolean | null | undefined;

/** What is not known is left out. */
export function attributesOf(values: Record<string, Value>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );
}

function toAnyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'number' ? { doubleValue: value } : { boolValue: value };
}

/** Nanoseconds are beyond what a number holds exactly; OTLP has them as text. */
export function toNano(epochMs: number): string {
  return `${BigInt(Math.trunc(epochMs)) * 1_000_000n}`;
}
