/** Numbers and times for people. Digits line up: the style sheet asks for tabular ones. */

const whole = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export function count(value: number): string {
  return value >= 100_000 ? compact.format(value) : whole.format(value);
}

/** A share as a percentage; 100 % is said only of all, and 0 % only of none. */
export function percent(share: number, digits = 1): string {
  const shown = (100 * share).toFixed(digits);
  if (share < 1 && Number(shown) === 100) return `${(100 - 10 ** -digits).toFixed(digits)} %`;
  if (share > 0 && Number(shown) === 0) return `${(10 ** -digits).toFixed(digits)} %`;
  return `${shown} %`;
}

/** With a sign, and the minus that is as wide as the plus. */
export function signed(value: number, digits = 0): string {
  const shown = Math.abs(value).toFixed(digits);
  if (Number(shown) === 0) return `±${shown}`;
  return `${value > 0 ? '+' : '−'}${shown}`;
}

export function milliseconds(ms: number): string {
  if (ms >= 60_000) return `${(ms / 60_000).toFixed(1)} min`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(2)} ms`;
}

export function score4(value: number): string {
  return value.toFixed(4);
}

export function fullTime(time: string): string {
  return moment.format(new Date(time));
}

export function utcTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

export function shortDay(time: string | number): string {
  return day.format(new Date(time));
}

const STEPS: readonly [number, string][] = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [365, 'd'],
];

/** How long ago, or until when. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  let value = Math.abs(seconds);
  if (value < 5) return 'just now';
  let unit = 's';
  for (const [size, name] of STEPS) {
    unit = name;
    if (value < size) break;
    value /= size;
    unit = 'y';
  }
  const shown = `${Math.floor(value)} ${unit}`;
  return seconds >= 0 ? `${shown} ago` : `in ${shown}`;
}
