/** An item with a width on a line, in pixels. */
export interface Extent {
  from: number;
  to: number;
}

export interface Packed<T> {
  /** The row of each item. */
  placed: { item: T; row: number }[];
  /** Items that did not fit, joined where they overlap: how many, and where. */
  overflow: { from: number; to: number; items: T[] }[];
}

const slack = 2;

/** Puts items, in order of their beginning, into the first of at most `rows` rows where they overlap nothing. */
export function packRows<T>(items: readonly T[], extent: (item: T) => Extent, rows = 3): Packed<T> {
  const ends = new Array<number>(rows).fill(Number.NEGATIVE_INFINITY);
  const placed: { item: T; row: number }[] = [];
  const overflow: { from: number; to: number; items: T[] }[] = [];
  for (const item of items) {
    const { from, to } = extent(item);
    const row = ends.findIndex((end) => end + slack <= from);
    if (row >= 0) {
      ends[row] = to;
      placed.push({ item, row });
      continue;
    }
    const last = overflow.at(-1);
    // A label needs some room, so near items are counted together.
    if (last && from - last.to < 24) {
      last.items.push(item);
      last.to = Math.max(last.to, to);
    } else overflow.push({ from, to, items: [item] });
  }
  return { placed, overflow };
}
