"use client";

import { useMemo, useRef, type CSSProperties } from "react";
import { cn } from "@/components/kit/cn";
import { None } from "@/components/kit/none";
import { useDensity } from "@/components/kit/preferences-provider";
import { rowHeights } from "@/components/list/data-table-types";
import { useRowWindow } from "@/components/list/data-table-window";
import { isNumeric, shownText, type Column, type Result } from "./query";

/** Width in px of a character (13 px Geist Mono), and of a cell's padding. */
const characterWidth = 8;
const cellPadding = 24;
/** What the padding of the first cell of a row has beyond that. */
const edgePadding = 12;
/** Rows that are measured for the widths of columns, and the most characters that claim room. */
const measuredRows = 50;
const maxCharacters = 44;

const columnWidth = (column: Column, at: number, rows: Result["rows"]): number => {
  const { name, type } = column;
  const longest = rows.slice(0, measuredRows).reduce((max, row) => Math.max(max, shownText(column, row[at]).length), 5);
  const edge = at === 0 ? edgePadding : 0;
  return Math.min(maxCharacters, Math.max(longest, name.length, type.length)) * characterWidth + cellPadding + edge;
};

/**
 * The rows of a result as a table that scrolls both ways by pointer and keys, on phones too: every column is as
 * important as the others. Of many rows those near the screen are drawn. It fills its parent, a flex column with a height.
 */
export function ResultTable({ result }: { result: Pick<Result, "columns" | "rows"> }) {
  const { columns, rows } = result;
  const scroller = useRef<HTMLDivElement>(null);
  const [density] = useDensity();
  const height = rowHeights[density];
  const keys = useMemo(() => rows.map((_, at) => String(at)), [rows]);
  const widths = useMemo(() => columns.map((column, at) => columnWidth(column, at, rows)), [columns, rows]);
  const { indexes, above, below } = useRowWindow({ keys, height, scroller });
  const style: CSSProperties = { minWidth: widths.reduce((sum, width) => sum + width, 0) };
  const numeric = columns.map(isNumeric);
  const cell = (at: number) =>
    cn("truncate border-b px-3 text-left first:pl-4 sm:first:pl-6 sm:last:pr-6", numeric[at] && "text-right");
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Rows of the result"
      className="min-h-0 flex-1 overflow-auto overscroll-contain -outline-offset-2!"
    >
      <table
        aria-label="Result"
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-separate border-spacing-0 text-table tabular-nums"
        style={style}
      >
        <colgroup>
          {widths.map((width, at) => (
            <col key={at} style={{ width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-surface">
          <tr>
            {columns.map(({ name, type }, at) => (
              <th key={at} scope="col" title={`${name}, ${type}`} className={cn(cell(at), "py-1.5 text-meta")}>
                <span className="block truncate font-mono font-medium">{name}</span>
                <span className="block truncate font-normal text-subtle">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Room height={above} columns={columns.length} />}
          {indexes.map((index) => (
            <tr key={index} aria-rowindex={index + 2} style={{ height }} className="hover:bg-hover">
              {columns.map((column, at) => {
                const value = rows[index]?.[at];
                const text = shownText(column, value);
                return (
                  <td key={at} title={text} className={cn(cell(at), "font-mono")}>
                    {value === null || value === undefined ? <None /> : text}
                  </td>
                );
              })}
            </tr>
          ))}
          {below > 0 && <Room height={below} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

/** The room of rows that are not drawn. */
function Room({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
