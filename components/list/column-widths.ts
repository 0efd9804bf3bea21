import type { CSSProperties } from "react";
import type { DataTableColumn } from "./data-table-types";

/** Width in px of a character of a cell (13 px Geist, a little generous), and of a cell's padding. */
const characterWidth = 7;
const cellPadding = 20;
/** Rows that are measured; of more, the widths would change while the list is scrolled. */
const measuredRows = 50;
/** Text longer than this does not claim more room than others. */
const maxCharacters = 60;
const defaultMinWidth = 140;
/** What a growing column without text to measure wants beyond its minimum. */
const defaultGrowth = 120;

const minWidth = <Row>(column: DataTableColumn<Row>): number => column.width ?? column.minWidth ?? defaultMinWidth;

const toShare = (share: number): number => Number(share.toFixed(4));

/** How wide a growing column would be if there were room: as its longest text, in steps so that it rarely changes. */
function wantedWidth<Row>(column: DataTableColumn<Row>, rows: readonly Row[]): number {
  const least = minWidth(column);
  const { text } = column;
  if (text === undefined) return least + defaultGrowth;
  const longest = rows.slice(0, measuredRows).reduce((max, row) => Math.max(max, text(row).length), 0);
  const characters = Math.ceil(Math.min(longest, maxCharacters) / 4) * 4;
  return Math.max(least, characters * characterWidth + cellPadding);
}

/**
 * The table's smallest width in px, and a CSS width for each column. What a container leaves beyond that goes first to
 * the column that names the row, then to the other growing ones in proportion to what their content wants, so that no
 * text is cut beside unused room. The widths are in units of the container: the server draws the same as the browser.
 */
export function computeColumnWidths<Row>(
  columns: readonly DataTableColumn<Row>[],
  rows: readonly Row[],
  otherWidth: number,
): { min: number; widths: string[] } {
  const min = columns.reduce((sum, column) => sum + minWidth(column), otherWidth);
  const growing = columns.filter((column) => column.width === undefined);
  const needs = new Map(growing.map((column) => [column.id, wantedWidth(column, rows) - minWidth(column)]));
  const sumNeeds = (of: readonly DataTableColumn<Row>[]) => of.reduce((sum, { id }) => sum + (needs.get(id) ?? 0), 0);
  const naming = sumNeeds(growing.filter(({ required }) => required));
  const total = sumNeeds(growing.filter(({ required }) => !required));
  const widths = columns.map((column) => {
    const need = needs.get(column.id);
    if (need === undefined) return `${minWidth(column)}px`;
    const own = column.required ? need : 0;
    const first = own > 0 ? ` + min(max(0px, 100cqw - ${min}px), ${naming}px) * ${toShare(own / naming)}` : "";
    const share = total === 0 ? 1 / growing.length : (need - own) / total;
    return `calc(${minWidth(column)}px${first} + max(0px, 100cqw - ${min + naming}px) * ${toShare(share)})`;
  });
  return { min, widths };
}

type ColumnStyle = CSSProperties & Record<"--width" | "--width-close", string | undefined>;

/** The columns' widths for a stylesheet that chooses: all of them, or without the roomy ones where the list is narrow. */
export function columnStyles<Row>(
  columns: readonly DataTableColumn<Row>[],
  rows: readonly Row[],
  otherWidth: number,
): { min: number; minClose: number; styles: ColumnStyle[] } {
  const closeColumns = columns.filter(({ roomy }) => !roomy);
  const all = computeColumnWidths(columns, rows, otherWidth);
  const close = computeColumnWidths(closeColumns, rows, otherWidth);
  const styles = columns.map((column, at) => ({
    "--width": all.widths[at],
    "--width-close": close.widths[closeColumns.indexOf(column)],
  }));
  return { min: all.min, minClose: close.min, styles };
}
