import { Issues } from '../issues.ts';
import { LIMITS } from '../limits.ts';
import type { Interval } from './interval.ts';
import { SeededRandom } from './random.ts';
import { selectLargest, selectMedian } from './select.ts';

const RESAMPLES = 2_000;
/** Keeps the difference of two differences finite. */
const MAGNITUDE_MAX = 1e300;

export interface MedianDifference extends Interval {
  /** median(after) − median(before). */
  difference: number;
}

/**
 * How much the median of one sample lies above that of another, with a 95 % percentile bootstrap interval (Efron 1979).
 * Both samples are drawn again with replacement, so the interval carries the noise of both. The same seed gives the
 * same interval. Domain: at least two values on each side.
 */
export function bootstrapMedianDifference(
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  { seed }: { seed: number },
): MedianDifference {
  return new MedianBootstrap(seed).difference(before, after);
}

/** The same for many pairs of samples: which ranks are drawn depends on the size of a sample alone, so each size is drawn once. */
export class MedianBootstrap {
  readonly #before: Resamples;
  readonly #after: Resamples;

  constructor(seed: number) {
    checkSeed(seed);
    // Two streams: samples of one size would otherwise move together.
    this.#before = new Resamples(seed);
    this.#after = new Resamples(seed ^ 0x9e3779b9);
  }

  difference(before: ArrayLike<number>, after: ArrayLike<number>): MedianDifference {
    const from = toSorted(before, 'before');
    const to = toSorted(after, 'after');
    const [middlesOfFrom, middlesOfTo] = [
      this.#before.middlesOf(from.length),
      this.#after.middlesOf(to.length),
    ];
    const differences = new Float64Array(RESAMPLES);
    for (let i = 0; i < RESAMPLES; i++) {
      differences[i] = medianAt(to, middlesOfTo, i) - medianAt(from, middlesOfFrom, i);
    }
    return {
      difference: selectMedian(to) - selectMedian(from),
      low: selectQuantile(differences, 0.025),
      high: selectQuantile(differences, 0.975),
    };
  }
}

/** The generator takes 32 bits: two seeds that differ only beyond them would be one. */
function checkSeed(seed: number): void {
  const issues = new Issues();
  issues.whole(seed, 'seed', { min: 0, max: 2 ** 32 - 1 });
  issues.throwIfAny();
}

/** The ranks of the two middle values of each resample; of an odd number of values they are one. */
interface Middles {
  lower: Int32Array;
  upper: Int32Array;
}

class Resamples {
  readonly #seed: number;
  readonly #bySize = new Map<number, Middles>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From the seed anew, so that it does not matter which sizes came before. */
  middlesOf(size: number): Middles {
    const known = this.#bySize.get(size) ?? drawMiddles(size, new SeededRandom(this.#seed));
    this.#bySize.set(size, known);
    return known;
  }
}

/** How often each rank was drawn is all it takes: the middle is found by walking, where selecting took five times as long. */
function drawMiddles(size: number, random: SeededRandom): Middles {
  const middles = { lower: new Int32Array(RESAMPLES), upper: new Int32Array(RESAMPLES) };
  const counts = new Int32Array(size);
  for (let i = 0; i < RESAMPLES; i++) {
    random.drawInto(counts);
    let rank = 0;
    let drawn = counts[0] as number;
    while (drawn <= (size - 1) >>> 1) drawn += counts[++rank] as number;
    middles.lower[i] = rank;
    while (drawn <= size >>> 1) drawn += counts[++rank] as number;
    middles.upper[i] = rank;
  }
  return middles;
}

function medianAt(sorted: Float64Array, { lower, upper }: Middles, i: number): number {
  const below = sorted[lower[i] as number] as number;
  return below + ((sorted[upper[i] as number] as number) - below) / 2;
}

function toSorted(values: ArrayLike<number>, name: string): Float64Array {
  const issues = new Issues();
  issues.number(values.length, `${name}.length`, { min: 2, max: LIMITS.bootstrapSampleMax });
  issues.throwIfAny();
  for (let i = 0; i < values.length; i++) {
    issues.number(values[i], `${name}[${i}]`, { min: -MAGNITUDE_MAX, max: MAGNITUDE_MAX });
  }
  issues.throwIfAny();
  return Float64Array.from(values).sort();
}

/**
 * Linear interpolation between the order statistics (type 7 of Hyndman & Fan 1996, as in R and NumPy). Reorders `values`;
 * sorting them took five times as long.
 */
function selectQuantile(values: Float64Array, q: number): number {
  const position = q * (values.length - 1);
  const below = Math.floor(position);
  selectLargest(values, values.length - below);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  for (let i = 0; i < values.length - below; i++) {
    const value = values[i] as number;
    if (value < low) {
      high = low;
      low = value;
    } else if (value < high) high = value;
  }
  return position === below ? low : low + (position - below) * (high - low);
}
