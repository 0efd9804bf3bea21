/** An area whose pixels are known column by column. */
export interface Layer {
  /** The first column that may have pixels, and the one behind the last. */
  first: number;
  end: number;
  /** Where pixels begin and end: pairs of rows, from the top. Columns are asked for from the left; some are passed over. */
  cut: (column: number) => readonly number[];
}

/** What is seen of a layer below others. */
export interface Seen {
  /** Whether it has a pixel, seen or not, and whether one is under another layer. */
  isThere: boolean;
  isCovered: boolean;
  /** How many pixels are seen, and the bounds around them. */
  area: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const nothingSeen: Readonly<Seen> = {
  isThere: false,
  isCovered: false,
  area: 0,
  left: Infinity,
  top: Infinity,
  right: 0,
  bottom: 0,
};

/** Rows that are merged between two pauses. */
const rowsOfStep = 20_000;

/** What is left of parts without others: pairs of rows from the top, which of each do not overlap. */
export function subtractRows(parts: readonly number[], taken: readonly number[]): number[] {
  const left: number[] = [];
  let first = 0;
  for (let part = 0; part < parts.length; part += 2) {
    let start = parts[part] ?? 0;
    const to = parts[part + 1] ?? 0;
    while (first < taken.length && (taken[first + 1] ?? 0) <= start) first += 2;
    for (let at = first; at < taken.length; at += 2) {
      const [top, bottom] = [taken[at] ?? to, taken[at + 1] ?? to];
      if (top >= to) break;
      if (top > start) left.push(start, top);
      start = Math.max(start, bottom);
    }
    if (start < to) left.push(start, to);
  }
  return left;
}

/** Parts of both, from the top, joined where they touch. */
function join(some: readonly number[], others: readonly number[]): number[] {
  const joined: number[] = [];
  let [a, b] = [0, 0];
  while (a < some.length || b < others.length) {
    const isFirst = (some[a] ?? Infinity) <= (others[b] ?? Infinity);
    const [from, to] = isFirst ? [some[a] ?? 0, some[a + 1] ?? 0] : [others[b] ?? 0, others[b + 1] ?? 0];
    if (isFirst) a += 2;
    else b += 2;
    const end = joined.at(-1);
    if (end !== undefined && from <= end) joined[joined.length - 1] = Math.max(end, to);
    else joined.push(from, to);
  }
  return joined;
}

const countRows = (parts: readonly number[]): number =>
  parts.reduce((sum, row, at) => (at % 2 === 1 ? sum + row : sum - row), 0);

function note(seen: Seen, x: number, parts: readonly number[]): void {
  if (parts.length === 0) return;
  seen.area += countRows(parts);
  seen.left = Math.min(seen.left, x);
  seen.right = Math.max(seen.right, x + 1);
  seen.top = Math.min(seen.top, parts[0] ?? Infinity);
  seen.bottom = Math.max(seen.bottom, parts.at(-1) ?? 0);
}

/**
 * What is seen of layers that lie on each other, the last one on top, in steps. No more than a column of the picture is in memory;
 * `onSeen` gets each part of a column that is seen. Where a column is full, nothing below is looked at that is known to be covered.
 */
export function* showLayers(
  layers: readonly Layer[],
  { width, height }: { width: number; height: number },
  onSeen?: (layer: number, x: number, from: number, to: number) => void,
): Generator<undefined, Seen[]> {
  const found = layers.map((): Seen => ({ ...nothingSeen }));
  // So many from the bottom are known to be covered: where a column is full, there is nothing to find out about them.
  let [work, known] = [0, 0];
  for (let x = 0; x < width; x += 1) {
    let covered: readonly number[] = [];
    for (let at = layers.length - 1; at >= 0; at -= 1) {
      const isFull = covered[0] === 0 && covered[1] === height;
      if (isFull && at < known) break;
      work += 1;
      const [layer, seen] = [layers[at], found[at]];
      if (!layer || !seen || x < layer.first || x >= layer.end) continue;
      if (isFull && seen.isThere && seen.isCovered) continue;
      const parts = layer.cut(x);
      work += parts.length + covered.length;
      if (parts.length > 0) {
        const visible = subtractRows(parts, covered);
        seen.isThere = true;
        seen.isCovered ||= countRows(visible) < countRows(parts);
        note(seen, x, visible);
        if (onSeen)
          for (let part = 0; part < visible.length; part += 2)
            onSeen(at, x, visible[part] ?? 0, visible[part + 1] ?? 0);
        if (visible.length > 0) covered = join(covered, parts);
      }
      if (work < rowsOfStep) continue;
      work = 0;
      yield;
    }
    for (let seen = found[known]; seen?.isThere && seen.isCovered; seen = found[known]) known += 1;
  }
  return found;
}
