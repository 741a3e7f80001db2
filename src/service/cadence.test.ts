import { expect, it } from 'vitest';
import { parseCadence } from './cadence.ts';

const at = (text: string) => Date.parse(text);
const next = (cadence: string, after: string) =>
  new Date(parseCadence(cadence).next(at(after))).toISOString();

it.each([
  ['every_6h', '2026-11-15T05:59:59.999Z', '2026-11-15T06:00:00.000Z'],
  ['every_6h', '2026-11-15T18:00:00Z', '2026-11-16T00:00:00.000Z'],
  ['daily', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['weekly', '2026-11-15T12:00:00Z', '2026-11-16T00:00:00.000Z'],
  ['weekly', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00.000Z'],
  // Month ends: the 31st skips months that have none.
  ['cron:0 12 31 * *', '2026-01-31T12:00:00Z', '2026-03-31T12:00:00.000Z'],
  ['cron:59 23 30 * *', '2026-01-31T00:00:00Z', '2026-03-30T23:59:00.000Z'],
  // Leap days, over a century that has none.
  ['cron:0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['cron:0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00.000Z'],
  ['cron:30 4 1 * *', '2024-02-01T04:30:00Z', '2024-03-01T04:30:00.000Z'],
  ['cron:*/15 9-17 * * MON-FRI', '2026-11-13T17:45:00Z', '2026-11-16T09:00:00.000Z'],
  // A day of the month or a day of the week, as cron has always had it.
  ['cron:0 0 13 * 5', '2026-11-13T00:00:00Z', '2026-11-20T00:00:00.000Z'],
  // Clocks that are put back or forward somewhere do not concern UTC.
  ['cron:30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T02:30:00.000Z'],
])('%s after %s comes at %s', (cadence, after, expected) => {
  expect(next(cadence, after)).toBe(expected);
});

it.each([
  ['daily', '2026-11-14T12:00:00Z', '2026-11-15T00:00:00Z', '2026-11-15T00:00:00.000Z'],
  ['daily', '2026-11-13T12:00:00Z', '2026-11-14T23:59:59.500Z', '2026-11-14T00:00:00.000Z'],
  ['daily', '2026-11-15T00:00:00Z', '2026-11-15T09:00:00Z', '2026-11-16T00:00:00.000Z'],
  ['daily', '2026-11-12T00:00:00Z', '2026-11-15T23:59:59.999Z', '2026-11-13T00:00:00.000Z'],
  ['cron:0 0 29 2 *', '2023-01-01T00:00:00Z', '2027-06-01T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  // More than three: the third last.
  ['daily', '2026-11-01T00:00:00Z', '2026-11-15T00:00:00Z', '2026-11-13T00:00:00.000Z'],
  ['cron:* * * * *', '2025-11-15T00:00:00Z', '2026-11-15T00:00:00.999Z', '2026-11-14T23:58:00.000Z'],
  // Three minutes hold three moments.
  ['cron:* * * * *', '2026-11-15T00:00:00Z', '2026-11-15T00:03:00Z', '2026-11-15T00:01:00.000Z'],
  ['cron:* * * * *', '2026-11-15T00:00:00Z', '2026-11-15T00:04:00Z', '2026-11-15T00:02:00.000Z'],
])('%s after %s, of the last three up to %s, comes at %s', (cadence, after, upTo, expected) => {
  const found = parseCadence(cadence).nextOfLast(at(after), { upTo: at(upTo), most: 3 });
  expect(new Date(found).toISOString()).toBe(expected);
});

it.each([
  'constructor',
  '__proto__',
  'hourly',
  '',
  'cron:',
  'cron:* * * *',
  'cron:0 * * * * *',
  'cron:0 0 30 2 *',
  'cron:61 * * * *',
  'cron:0 0 L * *',
  '0 0 * * *',
])('refuses "%s" by its path', (cadence) => {
  expect(() => parseCadence(cadence)).toThrowError(
    expect.objectContaining({
      code: 'invalid_request',
      details: [expect.objectContaining({ path: 'cadence' })],
    }),
  );
});
