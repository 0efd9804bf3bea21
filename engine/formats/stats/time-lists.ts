/**
 * Lists of log times, nanoseconds. They are looked at as halves of 32 bits, because every element read from a
 * BigInt64Array is an object of its own.
 */

/** The halves of each time, the lower one first. */
export const toHalves = (times: BigInt64Array): Uint32Array =>
  new Uint32Array(times.buffer, times.byteOffset, 2 * times.length);

/** Whether times, none of them negative, are in rising order. */
export function isSorted(times: BigInt64Array): boolean {
  const halves = toHalves(times);
  for (let i = 2; i < halves.length; i += 2) {
    const high = halves[i + 1]! - halves[i - 1]!;
    if (high < 0 || (high === 0 && halves[i]! < halves[i - 2]!)) return false;
  }
  return true;
}

/** The earliest and the latest of some times; of a list with a `negative` one, any two. */
export function findEnds(times: BigInt64Array): { first: bigint; last: bigint; negative: boolean } {
  const halves = toHalves(times);
  let first = 0;
  let last = 0;
  let negative = false;
  for (let i = 0; i < halves.length; i += 2) {
    const high = halves[i + 1]!;
    if (high > 0x7fff_ffff) negative = true;
    if (high < halves[first + 1]! || (high === halves[first + 1] && halves[i]! < halves[first]!)) first = i;
    if (high > halves[last + 1]! || (high === halves[last + 1] && halves[i]! > halves[last]!)) last = i;
  }
  return { first: times[first / 2]!, last: times[last / 2]!, negative };
}

/** Widens a range, nanoseconds, by a list of times; says whether one of them is `negative`. */
export function widenBy(range: { start: bigint; end: bigint }, times: BigInt64Array): { negative: boolean } {
  const { first, last, negative } = findEnds(times);
  if (first < range.start) range.start = first;
  if (last > range.end) range.end = last;
  return { negative };
}

/** As many lists as are merged faster than sorted. */
const maxMerged = 64;

/** All times of the lists in rising order, in an array of its own or the only list itself when that is in order. */
export function joinTimes(lists: readonly BigInt64Array[]): BigInt64Array {
  if (lists.length === 1 && isSorted(lists[0]!)) return lists[0]!;
  const all = new BigInt64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  if (isSorted(all)) return all;
  return lists.length <= maxMerged && lists.every(isSorted) ? mergeLists(lists) : all.sort();
}

/** Lists in rising order as one. */
function mergeLists(lists: readonly BigInt64Array[]): BigInt64Array {
  let left = [...lists].sort((a, b) => a.length - b.length);
  while (left.length > 1) {
    const pairs = Array.from({ length: Math.ceil(left.length / 2) }, (_, pair) => left.slice(2 * pair, 2 * pair + 2));
    left = pairs.map(([a, b]) => (b === undefined ? a! : mergeTwo(a!, b)));
  }
  return left[0]!;
}

function mergeTwo(a: BigInt64Array, b: BigInt64Array): BigInt64Array {
  const all = new BigInt64Array(a.length + b.length);
  const [x, y, merged] = [toHalves(a), toHalves(b), toHalves(all)];
  let [i, j, to] = [0, 0, 0];
  while (i < x.length && j < y.length) {
    const high = x[i + 1]! - y[j + 1]!;
    if (high < 0 || (high === 0 && x[i]! <= y[j]!)) {
      merged[to] = x[i]!;
      merged[to + 1] = x[i + 1]!;
      i += 2;
    } else {
      merged[to] = y[j]!;
      merged[to + 1] = y[j + 1]!;
      j += 2;
    }
    to += 2;
  }
  merged.set(i < x.length ? x.subarray(i) : y.subarray(j), to);
  return all;
}

/** The position of the first time that is not before `value`. */
export function lowerBound(times: BigInt64Array, value: bigint): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two neighbouring times, nanoseconds. */
export interface TimeGap {
  start: bigint;
  end: bigint;
}

/** Times for each gap that is looked into: were there more gaps, joining the lists would be faster. */
const timesPerGap = 64;

/**
 * The gaps of at least `least` nanoseconds between the times of all lists, each of them in rising order, from the first
 * time of all to the last; null when there may be so many that the lists have to be joined. `shorter`: how many other
 * periods there are at least. Looks through the longest list, and into the others only where that one has a gap.
 */
export function findGaps(lists: readonly BigInt64Array[], least: number): { gaps: TimeGap[]; shorter: number } | null {
  const longest = lists.reduce((best, list) => (list.length > best.length ? list : best));
  const limit = lists.reduce((sum, list) => sum + list.length, 0) / timesPerGap;
  const halves = toHalves(longest);
  const wide: TimeGap[] = [];
  let shorter = 0;
  for (let i = 2; i < halves.length; i += 2) {
    const period = (halves[i + 1]! - halves[i - 1]!) * 2 ** 32 + (halves[i]! - halves[i - 2]!);
    if (period >= least) {
      wide.push({ start: longest[i / 2 - 1]!, end: longest[i / 2]! });
      if (wide.length > limit) return null;
    } else if (period > 0) shorter += 1;
  }
  const { first, last } = findRange(lists);
  wide.unshift({ start: first, end: longest[0]! });
  wide.push({ start: longest.at(-1)!, end: last });
  const others = lists.filter((list) => list !== longest);
  const gaps = wide.flatMap(({ start, end }) => {
    if (end - start < least) return [];
    const within = others.map((list) => list.subarray(lowerBound(list, start), lowerBound(list, end)));
    return listGaps(joinTimes([BigInt64Array.of(start, end), ...within.filter(({ length }) => length > 0)]), least);
  });
  return { gaps, shorter };
}

/** The first and the last time of lists in rising order. */
export function findRange(lists: readonly BigInt64Array[]): { first: bigint; last: bigint } {
  let first = lists[0]![0]!;
  let last = first;
  for (const list of lists) {
    if (list[0]! < first) first = list[0]!;
    if (list.at(-1)! > last) last = list.at(-1)!;
  }
  return { first, last };
}

/** The gaps of at least `least` nanoseconds between times in rising order. */
export function listGaps(times: BigInt64Array, least: number): TimeGap[] {
  const halves = toHalves(times);
  const gaps: TimeGap[] = [];
  for (let i = 2; i < halves.length; i += 2)
    if ((halves[i + 1]! - halves[i - 1]!) * 2 ** 32 + (halves[i]! - halves[i - 2]!) >= least)
      gaps.push({ start: times[i / 2 - 1]!, end: times[i / 2]! });
  return gaps;
}
