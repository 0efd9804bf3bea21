/**
 * The values of the samples at some ranks, in rising order and counted from 1 in the order of the values, where
 * `values[i]` stands for `counts[i]` samples; the largest beyond their end. Reorders both arrays: parts of them are
 * partitioned, as a quicksort would, but none is sorted, so the cost grows with their length alone.
 */
export function valuesAtRanks(values: Float64Array, counts: Float64Array, ranks: readonly number[]): number[] {
  /** Where to begin: the values before are smaller than those at the ranks to come, and stand for `passed` samples. */
  let start = 0;
  let passed = 0;
  const find = (rank: number): number => {
    let low = start;
    let high = values.length - 1;
    while (low < high) {
      const pivot = findMiddle(values[low]!, values[(low + high) >>> 1]!, values[high]!);
      let [below, at, above] = [low, low, high];
      let smaller = 0;
      let equal = 0;
      while (at <= above) {
        const value = values[at]!;
        if (value < pivot) {
          smaller += counts[at]!;
          swap(values, counts, below++, at++);
        } else if (value > pivot) swap(values, counts, at, above--);
        else equal += counts[at++]!;
      }
      if (rank <= passed + smaller) {
        high = below - 1;
        continue;
      }
      start = below;
      passed += smaller;
      if (rank <= passed + equal || above === high) return pivot;
      start = low = above + 1;
      passed += equal;
    }
    return values[low]!;
  };
  return ranks.map(find);
}

function swap(values: Float64Array, counts: Float64Array, a: number, b: number): void {
  const value = values[a]!;
  const count = counts[a]!;
  values[a] = values[b]!;
  counts[a] = counts[b]!;
  values[b] = value;
  counts[b] = count;
}

const findMiddle = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
