/**
 * Selection without sorting: linear on average, and never worse than one sort.
 * A quickselect with the median of three as pivot can be led into quadratic time by a crafted input, so after too
 * many rounds that cut off too little, the rest is sorted instead (Musser's introselect, 1997).
 */

/** Reorders `values` in place so that its `k` largest stand first, in no order. NaN is not allowed in it. */
export function selectLargest(values: Float64Array, k: number): void {
  let left = 0;
  let right = values.length - 1;
  let roundsLeft = 2 * Math.ceil(Math.log2(values.length + 1));
  // Invariant: everything before `left` is among the k largest, nothing after `right` is.
  while (left < right && k > left && k <= right) {
    if (roundsLeft-- === 0) {
      values
        .subarray(left, right + 1)
        .sort()
        .reverse();
      return;
    }
    const pivot = medianOfThree(at(values, left), at(values, (left + right) >>> 1), at(values, right));
    let i = left;
    let j = right;
    while (i <= j) {
      while (at(values, i) > pivot) i++;
      while (at(values, j) < pivot) j--;
      if (i <= j) {
        const swapped = at(values, i);
        values[i++] = at(values, j);
        values[j--] = swapped;
      }
    }
    // Now left..j are at least the pivot, i..right at most; what lies between them equals it.
    if (k <= j) right = j;
    else if (k > i) left = i;
    else return;
  }
}

/** The median; the mean of the middle two when the count is even. Reorders `values`, which must not be empty. */
export function selectMedian(values: Float64Array): number {
  const upper = values.length >>> 1;
  selectLargest(values, values.length - upper);
  let middle = Number.POSITIVE_INFINITY;
  for (let i = 0; i < values.length - upper; i++) middle = Math.min(middle, at(values, i));
  if (values.length % 2 === 1) return middle;
  let below = Number.NEGATIVE_INFINITY;
  for (let i = values.length - upper; i < values.length; i++) below = Math.max(below, at(values, i));
  return below + (middle - below) / 2;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function at(values: Float64Array, index: number): number {
  return values[index] as number;
}
