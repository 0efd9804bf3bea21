/**
 * The value of the sample at `rank`, counted from 1 in rising order, where `values[i]` stands for `counts[i]` samples;
 * the largest beyond their end. Reorders both arrays: parts of them are partitioned, as a quicksort would,
 * but none is sorted, so the cost grows with their length alone.
 */
export function valueAtRank(values: Float64Array, counts: Float64Array, rank: number): number {
  const swap = (a: number, b: number) => {
    const value = values[a]!;
    const count = counts[a]!;
    values[a] = values[b]!;
    counts[a] = counts[b]!;
    values[b] = value;
    counts[b] = count;
  };
  let low = 0;
  let high = values.length - 1;
  let left = rank;
  while (low < high) {
    const pivot = findMiddle(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let [below, at, above] = [low, low, high];
    let smaller = 0;
    let equal = 0;
    while (at <= above) {
      const value = values[at]!;
      if (value < pivot) {
        smaller += counts[at]!;
        swap(below++, at++);
      } else if (value > pivot) swap(at, above--);
      else equal += counts[at++]!;
    }
    if (left <= smaller) high = below - 1;
    else if (left <= smaller + equal) return pivot;
    else {
      left -= smaller + equal;
      if (above === high) return pivot;
      low = above + 1;
    }
  }
  return values[low]!;
}

const findMiddle = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
