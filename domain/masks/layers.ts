/** Parts of columns: `to` is the first row below. */
export type Segment = readonly [x: number, from: number, to: number];
type Part = readonly [from: number, to: number];

/** What is left of parts without others. Both come from the top, and of each the parts do not overlap. */
function subtract(parts: readonly Part[], taken: readonly Part[]): Part[] {
  const left: Part[] = [];
  let first = 0;
  for (const [from, to] of parts) {
    let start = from;
    while (first < taken.length && (taken[first]?.[1] ?? 0) <= from) first += 1;
    for (let at = first; at < taken.length; at += 1) {
      const [top, bottom] = taken[at] ?? [to, to];
      if (top >= to) break;
      if (top > start) left.push([start, top]);
      start = Math.max(start, bottom);
    }
    if (start < to) left.push([start, to]);
  }
  return left;
}

/** Parts of both, from the top, joined where they touch. */
function join(some: readonly Part[], others: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let [a, b] = [0, 0];
  while (a < some.length || b < others.length) {
    const [one, other] = [some[a], others[b]];
    const next = one && (!other || one[0] <= other[0]) ? one : other;
    if (!next) break;
    if (next === one) a += 1;
    else b += 1;
    const last = joined.at(-1);
    if (last && next[0] <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], next[1])];
    else joined.push(next);
  }
  return joined;
}

/** The parts of a layer by column, from the top. */
function byColumn(layer: readonly Segment[]): Map<number, Part[]> {
  const columns = new Map<number, Part[]>();
  for (const [x, from, to] of layer) {
    const parts = columns.get(x);
    if (parts) parts.push([from, to]);
    else columns.set(x, [[from, to]]);
  }
  return columns;
}

/**
 * What is seen of layers that lie on each other, the last one on top. The segments of a layer come from the top in each column;
 * time grows with how many there are, and for a layer with those of the columns above it.
 */
export function showLayers(layers: readonly (readonly Segment[])[]): Segment[][] {
  const covered = new Map<number, readonly Part[]>();
  const seen = layers.toReversed().map((layer) =>
    Array.from(byColumn(layer), ([x, parts]) => {
      const taken = covered.get(x) ?? [];
      covered.set(x, join(taken, parts));
      return subtract(parts, taken).map(([top, bottom]): Segment => [x, top, bottom]);
    }).flat(),
  );
  return seen.toReversed();
}

export const countPixels = (segments: readonly Segment[]): number =>
  segments.reduce((sum, [, from, to]) => sum + to - from, 0);
