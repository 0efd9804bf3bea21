"use client";

import { cn } from "@/components/kit/cn";
import { Skeleton } from "@/components/kit/skeleton";
import type { DataTableColumn } from "./data-table-types";

/** A spacer of the height in px of rows that are not drawn. */
export function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className="max-sm:block">
      <td colSpan={columns} style={{ height }} className="border-0! p-0 max-sm:block" />
    </tr>
  );
}

/** Rows in outline while the first page loads. */
export function SkeletonRows<Row>(props: {
  columns: readonly DataTableColumn<Row>[];
  before: boolean;
  after: boolean;
}) {
  return Array.from({ length: 12 }, (_, line) => (
    <tr key={line} aria-hidden className="h-(--row) max-sm:flex max-sm:items-center max-sm:border-b max-sm:px-4">
      {props.before && <td className="max-sm:hidden" />}
      {props.columns.map((column, at) => (
        <td key={column.id} className={cn("px-2.5 first:sm:pl-6", at === 0 ? "max-sm:flex-1" : "max-sm:hidden")}>
          <Skeleton className={cn("h-3", at === 0 ? "w-3/5" : "w-2/5", column.align === "right" && "ml-auto")} />
        </td>
      ))}
      {props.after && <td className="max-sm:hidden" />}
    </tr>
  ));
}
