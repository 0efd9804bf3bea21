/** What a lasso spans, in pixels from the beginning of the grid's content. */
export interface Lasso {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Cells that a lasso touches: these rows of these columns, the last ones included. */
export interface LassoCells {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

/** One direction of a grid: where its first cell begins, how long each is, and from one to the next. */
interface Track {
  start: number;
  length: number;
  step: number;
  count: number;
}

/** The first and last cell of a direction that a span touches; null when it touches none. */
function touched(from: number, to: number, { start, length, step, count }: Track): [number, number] | null {
  const first = Math.max(0, Math.floor((from - start - length) / step) + 1);
  const last = Math.min(count - 1, Math.ceil((to - start) / step) - 1);
  return first <= last ? [first, last] : null;
}

/** The cells that a lasso touches; null when it touches none. */
export function coverCells(lasso: Lasso, rows: Track, columns: Track): LassoCells | null {
  const down = touched(lasso.top, lasso.bottom, rows);
  const across = touched(lasso.left, lasso.right, columns);
  return down && across ? { firstRow: down[0], lastRow: down[1], firstColumn: across[0], lastColumn: across[1] } : null;
}

/** Whether the item at a place of the grid is among the cells. */
export function isCovered(cells: LassoCells, index: number, columns: number): boolean {
  const [row, column] = [Math.floor(index / columns), index % columns];
  return row >= cells.firstRow && row <= cells.lastRow && column >= cells.firstColumn && column <= cells.lastColumn;
}
