const tableRowHeight = 44;
/** Pixels between cells. */
export const gap = 8;
/** Below the picture: the name of its file. */
const caption = 24;

interface GridLayout {
  columns: number;
  cellWidth: number;
  /** The height of a cell; a row also has the room below it. */
  cellHeight: number;
  rowHeight: number;
  rows: number;
}

/** How many cells fit beside each other into `width` pixels, and how high they are. A phone always has three. */
export function layOut(options: {
  width: number;
  size: number;
  count: number;
  table: boolean;
  narrow: boolean;
  /** Whether the names of files are below the pictures. */
  named?: boolean;
}): GridLayout {
  const { width, size, count, table, narrow, named = true } = options;
  if (table)
    return { columns: 1, cellWidth: width, cellHeight: tableRowHeight, rowHeight: tableRowHeight, rows: count };
  const columns = narrow ? 3 : Math.max(1, Math.floor((width + gap) / (size + gap)));
  const cellWidth = Math.max(1, (width - gap * (columns - 1)) / columns);
  const cellHeight = Math.round(cellWidth * 0.75) + (named ? caption : 0);
  return { columns, cellWidth, cellHeight, rowHeight: cellHeight + gap, rows: Math.ceil(count / columns) };
}

/** The place that a key leads to from another; null for a key that leads nowhere. */
export function moveTo(
  key: string,
  from: number,
  { columns, count, rowsOnScreen }: { columns: number; count: number; rowsOnScreen: number },
): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * rowsOnScreen,
    PageDown: columns * rowsOnScreen,
    Home: -from,
    End: count - 1 - from,
  };
  const step = steps[key];
  if (step === undefined || count === 0) return null;
  return Math.max(0, Math.min(count - 1, from + step));
}
