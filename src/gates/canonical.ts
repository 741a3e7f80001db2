import { CLIENT_LIMITS } from '../core/client-limits.ts';

/**
 * JSON with its fields in order, so that equal values are equal texts. What lies deeper than gates look, or beyond the
 * nodes that are left in the budget, is left out: a value that holds itself twice would be endless.
 */
export function canonical(
  value: unknown,
  budget: { nodes: number } = { nodes: CLIENT_LIMITS.gateNodesMax },
  depth = 0,
): string {
  if (depth > CLIENT_LIMITS.gateDepthMax || budget.nodes-- <= 0) return '…';
  const within = (part: unknown) => canonical(part, budget, depth + 1);
  if (Array.isArray(value)) return `[${value.map(within).join()}]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${within((value as Record<string, unknown>)[key])}`);
  return `{${fields.join()}}`;
}
