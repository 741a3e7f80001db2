import { CLIENT_LIMITS } from '../core/client-limits.ts';

/** JSON with its fields in order, so that equal values are equal texts. What lies deeper than gates look is left out. */
export function canonical(value: unknown, depth = 0): string {
  if (depth > CLIENT_LIMITS.gateDepthMax) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], depth + 1)}`);
  return `{${fields.join()}}`;
}
