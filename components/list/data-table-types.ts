import type { ReactNode } from "react";
import type { MenuItem } from "@/components/kit/menu";

export interface DataTableColumn<Row> {
  id: string;
  header: string;
  /** What its header says when it is pointed at: what lines of several rows have in common. */
  hint?: string;
  cell: (row: Row) => ReactNode;
  /** Fixed width in px; columns without one share what is left, from `minWidth` (default 140) up. */
  width?: number;
  minWidth?: number;
  /** What a cell shows as text, to be measured: of the room that is left, longer content gets more. */
  text?: (row: Row) => string;
  align?: "right";
  /** The API's `ordering` field; only columns that have one can be sorted. */
  ordering?: string;
  /** Why the list cannot be sorted by it now, which its header then says. */
  unsortable?: string | undefined;
  /** The first press on its header sorts descending: for sizes and times, where people look for the largest. */
  descendingFirst?: boolean;
  /** Cannot be hidden; for the column that names the row. */
  required?: boolean;
  /** Hidden until the person turns it on. */
  hidden?: boolean;
  /** Left out where the list is narrower than 760 px, such as beside a pane. */
  roomy?: boolean;
  /** Where it goes on phones, where a row becomes two lines; without it the column is left out there. */
  narrow?: "leading" | "title" | "trailing" | "meta";
}

export interface DataTableProps<Row> {
  /** Names the table's own preferences (hidden columns): "devices". */
  id: string;
  /** Read out as the table's name: "Devices". */
  label: string;
  /** Singular and plural of what a row is: `["device", "devices"]`. */
  noun: readonly [string, string];
  /** Keep it stable (module scope or memo). */
  columns: readonly DataTableColumn<Row>[];
  /** Undefined while the first page loads; keep passing the old rows while refetching. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Names a row in its checkbox and menu: the device's name. */
  rowLabel: (row: Row) => string;
  /** The row's own page; Enter and Cmd-click go there. */
  href?: (row: Row) => string;
  /** Which row's drawer is open, from `useSelected()`; without `onSelect` a click goes to `href`. */
  selected?: string | null;
  onSelect?: (key: string | null) => void;
  /** `name` or `-name`. */
  ordering?: string | null;
  onOrderingChange?: (ordering: string | null) => void;
  /** Actions on the ticked rows; rows can be ticked only where it is given. */
  bulkActions?: (keys: string[], clear: () => void) => ReactNode;
  rowMenu?: (row: Row) => MenuItem[];
  /** What Enter does while no row is chosen. */
  onEnter?: { label: string; run: () => void };
  /** The filter bar, at the left of the table's own controls. */
  toolbar?: ReactNode;
  /** Below the columns in the table's view options, for what concerns more than one person. */
  viewMore?: ReactNode;
  /** Shown instead of rows when there are none. */
  empty?: ReactNode;
  /** An error of loading; with rows on screen it is a line above them. */
  error?: unknown;
  onRetry?: () => void;
  /** Rows are being refreshed. */
  fetching?: boolean;
  hasMore?: boolean;
  loadingMore?: boolean;
  onLoadMore?: () => void;
  /** Rows that arrived meanwhile and wait behind a pill, so that nothing moves below the pointer. */
  fresh?: { count: number; onShow: () => void };
  /** What is selected is shown beside the list: j and k move the focus along with it, and Esc does not close it. */
  beside?: boolean;
  /** 2 for rows whose cells hold two lines; phones show two lines anyway. */
  lines?: 1 | 2;
  className?: string;
}

/** Height of a row in px by density; on phones rows are two lines high. */
export const rowHeights = { compact: 28, regular: 36, comfortable: 44 } as const;
export const twoLineRowHeights = { compact: 42, regular: 50, comfortable: 58 } as const;
export const narrowRowHeight = 56;
