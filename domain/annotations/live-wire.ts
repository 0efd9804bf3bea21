import type { Point } from "./geometry";

/** Live wires: the cheapest lines along the edges of a picture, all from one pixel. */

/** Red, green, blue and opacity of each pixel, row by row. */
export interface Pixels {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

/** What a pixel on the strongest edge costs; one on none costs 255. */
const least = 5;

/** The square of the strength of the edge at a pixel, in the channel in which it is strongest. */
function measureStrengths({ data, width, height }: Pixels): Float32Array {
  const strengths = new Float32Array(width * height);
  const row = 4 * width;
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * row + 4 * x;
      let most = 0;
      for (let i = at; i < at + 3; i++) {
        // Sobel's masks.
        const topLeft = data[i - row - 4] ?? 0;
        const topRight = data[i - row + 4] ?? 0;
        const lowLeft = data[i + row - 4] ?? 0;
        const lowRight = data[i + row + 4] ?? 0;
        const across = topRight + lowRight - topLeft - lowLeft + 2 * ((data[i + 4] ?? 0) - (data[i - 4] ?? 0));
        const down = lowLeft + lowRight - topLeft - topRight + 2 * ((data[i + row] ?? 0) - (data[i - row] ?? 0));
        const strength = across * across + down * down;
        if (strength > most) most = strength;
      }
      strengths[y * width + x] = most;
    }
  return strengths;
}

/** What each pixel costs a line that goes through it: little on strong edges. */
export function measureCosts(pixels: Pixels): Uint8Array<ArrayBuffer> {
  const strengths = measureStrengths(pixels);
  let most = 1;
  for (const strength of strengths) if (strength > most) most = strength;
  const costs = new Uint8Array(strengths.length);
  // A loop, because a function for each pixel takes longer than all else.
  for (let at = 0; at < costs.length; at++) {
    const away = 1 - Math.sqrt((strengths[at] ?? 0) / most);
    costs[at] = least + Math.round((255 - least) * away * away);
  }
  return costs;
}

/** More than any step costs: so many buckets hold all pixels that are reached and not yet passed. */
const buckets = 512;
const diagonal = Math.SQRT2;

/**
 * The cheapest lines from one pixel to all others: of each pixel the one before it, itself at the beginning. Pixels wait in
 * buckets by what their lines cost (Dial), so that the next one is found without a search.
 */
export function findWires(costs: Uint8Array, width: number, height: number, seed: number): Int32Array<ArrayBuffer> {
  const count = width * height;
  const total = new Int32Array(count).fill(2 ** 30);
  const before = new Int32Array(count).fill(-1);
  const isDone = new Uint8Array(count);
  const waiting: number[][] = Array.from({ length: buckets }, () => []);
  const steps = [-1, 1, -width, width, -width - 1, 1 - width, width - 1, width + 1];
  total[seed] = 0;
  before[seed] = seed;
  waiting[0]?.push(seed);
  let left = 1;
  for (let cost = 0; left > 0; cost++) {
    const bucket = waiting[cost % buckets] ?? [];
    for (let at = bucket.pop(); at !== undefined; at = bucket.pop()) {
      left -= 1;
      if (isDone[at] === 1) continue;
      isDone[at] = 1;
      const x = at % width;
      for (let way = 0; way < 8; way++) {
        const next = at + (steps[way] ?? 0);
        if (next < 0 || next >= count || isDone[next] === 1 || Math.abs((next % width) - x) > 1) continue;
        const own = 1 + (costs[next] ?? 0);
        const sum = cost + (way < 4 ? own : Math.round(own * diagonal));
        if (sum >= (total[next] ?? 0)) continue;
        total[next] = sum;
        before[next] = at;
        waiting[sum % buckets]?.push(next);
        left += 1;
      }
    }
  }
  return before;
}

/** The pixels of the line to one, from where all lines begin. */
export function walkBack(before: Int32Array, to: number): number[] {
  const line: number[] = [];
  for (let at = to; ;) {
    line.push(at);
    const next = before[at] ?? -1;
    if (next < 0 || next === at) return line.toReversed();
    at = next;
  }
}

/** The pixel on the strongest edge within some pixels of one; the nearest of equal ones. */
export function findEdge(costs: Uint8Array, width: number, height: number, [x, y]: Point, within: number): number {
  let [found, least] = [y * width + x, Number.POSITIVE_INFINITY];
  for (let row = Math.max(0, y - within); row <= Math.min(height - 1, y + within); row++)
    for (let column = Math.max(0, x - within); column <= Math.min(width - 1, x + within); column++) {
      const away = Math.hypot(column - x, row - y);
      if (away > within) continue;
      // A pixel farther away has to be worth it.
      const cost = (costs[row * width + column] ?? 255) + 4 * away;
      if (cost < least) [found, least] = [row * width + column, cost];
    }
  return found;
}
