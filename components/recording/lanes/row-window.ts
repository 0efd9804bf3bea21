/** Rows below each other, each of its own height. */
interface RowWindow {
  /** The height of all rows. */
  total: number;
  /** Those in view, and some around them. */
  rows: { index: number; start: number; size: number }[];
}

/** The rows that are seen between two heights, with `around` more on either side. */
export function findRows(sizes: readonly number[], from: number, to: number, around: number): RowWindow {
  let total = 0;
  const rows = sizes.map((size, index) => {
    const row = { index, start: total, size };
    total += size;
    return row;
  });
  const first = rows.findIndex(({ start, size }) => start + size > from);
  const last = rows.findLastIndex(({ start }) => start < to);
  // Scrolled beyond the end, as when a search leaves fewer rows, the last ones are seen.
  const [begin, end] = [first === -1 ? rows.length - 1 : first, Math.max(first, last)];
  return { total, rows: rows.slice(Math.max(0, begin - around), end + 1 + around) };
}
