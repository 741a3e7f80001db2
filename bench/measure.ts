/**
 * Timing things against each other in one run. Contestants take turns, round by round, so that whatever else the
 * machine does falls on all of them; the median of the rounds is reported, with the spread beside it.
 */
export interface Contestant {
  name: string;
  /** One round of work. Returns something made from all of it, so that no compiler can leave the work out. */
  run(): number;
}

export interface Measured {
  name: string;
  medianMs: number;
  fastestMs: number;
  slowestMs: number;
}

/** Runs all contestants in turn, after warming each up. */
export function measure(contestants: readonly Contestant[], { rounds = 15, warmups = 3 } = {}): Measured[] {
  const times = contestants.map(() => new Float64Array(rounds));
  let sink = 0;
  for (let round = -warmups; round < rounds; round++) {
    contestants.forEach(({ run }, i) => {
      const start = performance.now();
      sink += run();
      const ms = performance.now() - start;
      const row = times[i];
      if (round >= 0 && row) row[round] = ms;
    });
  }
  if (Number.isNaN(sink)) throw new Error('a benchmark computed NaN');
  return contestants.map(({ name }, i) => {
    const sorted = (times[i] ?? new Float64Array(1)).sort();
    return {
      name,
      medianMs: sorted[sorted.length >> 1] as number,
      fastestMs: sorted[0] as number,
      slowestMs: sorted[sorted.length - 1] as number,
    };
  });
}

/** The figure to look at, beside what it aims for; `aim` is left out where the issue of the day names none. */
export interface Line extends Measured {
  figure: string;
  aim?: string;
}

/** Prints a table whose first line is the yardstick, and how many times longer the others took. */
export function report(title: string, lines: readonly Line[]): void {
  const yardstick = lines[0];
  if (!yardstick) return;
  const rows = lines.map(({ name, medianMs, fastestMs, slowestMs, figure, aim }) => [
    name,
    `${format(medianMs)} ms`,
    `${format(fastestMs)}–${format(slowestMs)}`,
    `${format(medianMs / yardstick.medianMs)}×`,
    figure,
    aim ?? '',
  ]);
  const table = [['', 'median', 'spread', 'ratio', 'figure', 'aim'], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  const text = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`\n${title}\n${text.map((line) => `  ${line}`).join('\n')}\n`);
}

export function format(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
