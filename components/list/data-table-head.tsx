"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { Tooltip } from "@/components/kit/tooltip";
import { cellStyles, whereNarrow } from "./data-table-row";
import type { DataTableColumn } from "./data-table-types";

/** What a press on a header sorts by: first one direction, then the other, then the list's own order. */
function nextOrdering<Row>(column: DataTableColumn<Row>, ordering: string | null | undefined): string | null {
  const { ordering: field = "", descendingFirst = false } = column;
  const [first, second] = descendingFirst ? [`-${field}`, field] : [field, `-${field}`];
  return ordering === first ? second : ordering === second ? null : first;
}

/** The sticky header; only columns the API can sort have a button. */
export function DataTableHead<Row>(props: {
  columns: readonly DataTableColumn<Row>[];
  ordering?: string | null;
  onOrderingChange?: (ordering: string | null) => void;
  ticks?: { all: boolean; some: boolean; onToggle: (all: boolean) => void };
  menu: boolean;
}) {
  const { columns, ordering, onOrderingChange, ticks, menu } = props;
  const line = "sticky top-0 z-10 h-8 border-b bg-surface p-0 text-meta font-normal text-subtle";
  return (
    <thead role="rowgroup" className="max-sm:sr-only">
      <tr role="row" aria-rowindex={1}>
        {ticks && (
          <th role="columnheader" scope="col" className={cn(line, "sm:pl-5")}>
            <span className="flex justify-center">
              <Checkbox
                aria-label="Select all loaded rows"
                checked={ticks.all}
                indeterminate={ticks.some && !ticks.all}
                onCheckedChange={ticks.onToggle}
              />
            </span>
          </th>
        )}
        {columns.map((column, at) => {
          const right = column.align === "right";
          const direction =
            ordering === column.ordering ? "ascending" : ordering === `-${column.ordering}` ? "descending" : "none";
          const orderable = column.ordering !== undefined && onOrderingChange !== undefined;
          const sortable = orderable && column.unsortable === undefined;
          return (
            <th
              role="columnheader"
              scope="col"
              key={column.id}
              aria-sort={sortable ? direction : undefined}
              title={column.hint}
              className={cn(
                line,
                cellStyles({ first: at === 0 && !ticks, last: at === columns.length - 1 && !menu, right }),
                "truncate",
                column.roomy && whereNarrow,
              )}
            >
              {sortable ? (
                <button
                  type="button"
                  className={cn(
                    "group/sort inline-flex items-center align-middle gap-1 rounded-control hover:text-foreground",
                    right && "flex-row-reverse",
                    direction !== "none" && "font-medium text-foreground",
                  )}
                  onClick={() => onOrderingChange(nextOrdering(column, ordering))}
                >
                  {column.header}
                  {direction === "descending" ? (
                    <ArrowDown aria-hidden className="size-3" />
                  ) : (
                    <ArrowUp
                      aria-hidden
                      className={cn(
                        "size-3",
                        direction === "none" &&
                          "opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60",
                      )}
                    />
                  )}
                </button>
              ) : orderable ? (
                <Tooltip content={column.unsortable} tap>
                  <button type="button" aria-disabled className="max-w-full truncate rounded-control align-middle">
                    {column.header}
                    <span className="sr-only">: {column.unsortable}</span>
                  </button>
                </Tooltip>
              ) : (
                column.header
              )}
            </th>
          );
        })}
        {menu && (
          <th role="columnheader" scope="col" className={line}>
            <span className="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
