"use client";

import { Ellipsis } from "lucide-react";
import Link from "next/link";
import { memo, type MouseEvent, type ReactNode } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { LazyMenu, type MenuItem } from "@/components/kit/menu";
import type { DataTableColumn } from "./data-table-types";

export interface DataTableRowProps<Row> {
  row: Row;
  rowKey: string;
  label: string;
  /** Place among the loaded rows, from 0. */
  index: number;
  columns: readonly DataTableColumn<Row>[];
  /** Tab stops here; j and k move it. */
  active: boolean;
  /** Its drawer is open. */
  open: boolean;
  ticked: boolean;
  href?: string;
  onActivate: (key: string, event: MouseEvent) => void;
  onFocus: (key: string) => void;
  onTick?: (key: string, ticked: boolean, range: boolean) => void;
  menu?: (row: Row) => MenuItem[];
}

const narrowPlace = {
  leading: "max-sm:order-0 max-sm:w-18 max-sm:flex-none",
  title: "max-sm:order-1 max-sm:flex-1 max-sm:font-medium",
  trailing: "max-sm:order-2 max-sm:has-[>[data-none]]:hidden",
  meta: "max-sm:order-4 max-sm:text-meta max-sm:text-muted max-sm:has-[>[data-none]]:hidden",
  none: "max-sm:hidden",
};

/** Cells of roomy columns; the stylesheet decides, so that the first frame already has the list's width. */
export const whereNarrow = "sm:@max-[760px]/list:hidden";

/** Widths and paddings shared by header and body cells. */
export function cellStyles(at: { first: boolean; last: boolean; right: boolean }): string {
  return cn("px-2.5 text-left", at.right && "text-right", at.first && "sm:pl-6", at.last && "sm:pr-6");
}

function isControl(target: EventTarget, row: Element): boolean {
  const control = target instanceof Element ? target.closest("a, button, input, label, [role=menuitem]") : null;
  return control !== null && row.contains(control) && !control.hasAttribute("data-row-link");
}

function DataTableRowBody<Row>(props: DataTableRowProps<Row>) {
  const { row, rowKey, label, index, columns, active, open, ticked, href, onActivate, onFocus, onTick, menu } = props;
  const onClick = (event: MouseEvent<HTMLTableRowElement>) => {
    // React bubbles events of this row's menu, although the menu is rendered in a portal.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
    if (isControl(event.target, event.currentTarget) || window.getSelection()?.type === "Range") return;
    onActivate(rowKey, event);
  };
  const name = (content: ReactNode) =>
    href === undefined ? (
      content
    ) : (
      <Link
        href={href}
        tabIndex={-1}
        prefetch={false}
        data-row-link
        className="block truncate rounded-control group-hover/row:underline group-hover/row:decoration-border-strong group-hover/row:underline-offset-3"
        onClick={(event) => {
          // A modified click is the browser's; a plain one is handled by the row.
          if (!(event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0)) event.preventDefault();
          else event.stopPropagation();
        }}
      >
        {content}
      </Link>
    );
  return (
    <tr
      role="row"
      data-row={rowKey}
      aria-rowindex={index + 2}
      aria-selected={onTick ? ticked : undefined}
      aria-current={open ? "true" : undefined}
      tabIndex={active ? 0 : -1}
      onClick={onClick}
      onFocus={(event) => event.target === event.currentTarget && onFocus(rowKey)}
      className={cn(
        "group/row h-(--row) cursor-default border-b -outline-offset-2! hover:bg-hover",
        "max-sm:flex max-sm:flex-wrap max-sm:content-center max-sm:items-center max-sm:gap-x-3 max-sm:overflow-hidden max-sm:px-4",
        // The line break between a phone row's first and second line.
        "max-sm:after:order-3 max-sm:after:h-0 max-sm:after:basis-full max-sm:after:content-['']",
        (ticked || open) && "bg-selected hover:bg-selected",
      )}
    >
      {onTick && (
        <td role="cell" className="p-0 text-center max-sm:hidden sm:pl-5">
          <span className="flex justify-center">
            <Checkbox
              aria-label={`Select ${label}`}
              tabIndex={-1}
              checked={ticked}
              onCheckedChange={(next, event) => onTick(rowKey, next, "shiftKey" in event && event.shiftKey === true)}
            />
          </span>
        </td>
      )}
      {columns.map((column, at) => (
        <td
          role="cell"
          key={column.id}
          className={cn(
            cellStyles({
              first: at === 0 && !onTick,
              last: at === columns.length - 1 && !menu,
              right: column.align === "right",
            }),
            "overflow-hidden text-ellipsis whitespace-nowrap max-sm:min-w-0 max-sm:p-0",
            column.roomy && whereNarrow,
            narrowPlace[column.narrow ?? "none"],
          )}
        >
          {column.required ? name(column.cell(row)) : column.cell(row)}
        </td>
      ))}
      {menu && (
        <td role="cell" className="p-0 pr-2 text-right max-sm:hidden sm:pr-4">
          <LazyMenu
            items={() => menu(row)}
            aria-label={`Actions for ${label}`}
            size="sm"
            variant="ghost"
            icon={<Ellipsis aria-hidden />}
            tabIndex={active ? 0 : -1}
            className="h-6.5 w-7 px-0 fine:opacity-0 fine:group-focus-within/row:opacity-100 fine:group-hover/row:opacity-100 fine:data-popup-open:opacity-100"
          />
        </td>
      )}
    </tr>
  );
}

/** One row, drawn again only when something of its own changed. */
export const DataTableRow = memo(DataTableRowBody) as typeof DataTableRowBody;
