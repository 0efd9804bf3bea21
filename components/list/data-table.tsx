"use client";

import { useTable, type RowData } from "@tanstack/react-table";
import { useRouter } from "next/navigation";
import { useMemo, useRef, useState, type CSSProperties, type KeyboardEvent, type MouseEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { useLatest } from "@/components/kit/latest";
import { leave } from "@/components/kit/leaving";
import { useNarrow } from "@/components/kit/media-query";
import { useDensity } from "@/components/kit/preferences-provider";
import { Sweep } from "@/components/kit/sweep";
import { ErrorState } from "@/components/product/error-state";
import { columnStyles } from "./column-widths";
import { features, useColumns } from "./data-table-columns";
import { DataTableFoot, LoadMoreSentinel } from "./data-table-foot";
import { DataTableHead } from "./data-table-head";
import { useDataTableKeys } from "./data-table-keys";
import { FreshPill, StaleLine } from "./data-table-notices";
import { SkeletonRows, Spacer } from "./data-table-placeholders";
import { DataTableRow, whereNarrow } from "./data-table-row";
import { narrowRowHeight, rowHeights, twoLineRowHeights, type DataTableProps } from "./data-table-types";
import { DataTableView } from "./data-table-view";
import { useRowWindow } from "./data-table-window";

export type { DataTableColumn, DataTableProps } from "./data-table-types";

const tickWidth = 44;
const menuWidth = 56;

/**
 * The list of every screen: dense, edge to edge, with a sticky header, keyboard, column chooser, cursor paging and,
 * above 40 rows, only those on screen drawn. It fills its parent, which must be a flex column with a height.
 */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const {
    rows,
    rowKey,
    rowLabel,
    href,
    selected = null,
    onSelect,
    bulkActions,
    rowMenu,
    error,
    hasMore = false,
  } = props;
  const router = useRouter();
  const scroller = useRef<HTMLDivElement>(null);
  const [density] = useDensity();
  const narrow = useNarrow();
  const height = narrow ? narrowRowHeight : (props.lines === 2 ? twoLineRowHeights : rowHeights)[density];
  const [tickedKeys, setTickedKeys] = useState<ReadonlySet<string>>(new Set());

  const data = rows ?? (none as readonly Row[]);
  const { byId, definitions, visibility, setVisibility } = useColumns(props.id, props.columns);
  const rowSelection = useMemo(
    () => Object.fromEntries([...tickedKeys].map((key) => [key, true as const])),
    [tickedKeys],
  );
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: rowKey,
    state: { columnVisibility: visibility, rowSelection },
    onColumnVisibilityChange: (next) => setVisibility(typeof next === "function" ? next(visibility) : next),
    onRowSelectionChange: (next) =>
      setTickedKeys(new Set(Object.keys(typeof next === "function" ? next(rowSelection) : next))),
  });
  const lines = table.getRowModel().rows;
  const shownIds = table
    .getVisibleLeafColumns()
    .map((column) => column.id)
    .join("\n");
  const columns = useMemo(() => shownIds.split("\n").flatMap((id) => byId.get(id) ?? []), [shownIds, byId]);
  const keys = useMemo(() => data.map((row) => rowKey(row)), [data, rowKey]);
  const ticked = useMemo(() => new Set(keys.filter((key) => tickedKeys.has(key))), [keys, tickedKeys]);

  const { indexes, above, below, scrollToIndex } = useRowWindow({ keys, height, scroller });

  const openPage = (key: string) => {
    const row = data[keys.indexOf(key)];
    if (row !== undefined && href) leave(() => router.push(href(row)));
  };
  const keyboard = useDataTableKeys({
    keys,
    scroller,
    scrollToIndex,
    selected,
    onSelect,
    beside: props.beside ?? false,
    onOpenPage: href ? openPage : undefined,
    onEnter: props.onEnter,
    ticked,
    setTicked: bulkActions ? setTickedKeys : undefined,
  });

  const onActivate = useLatest((key: string, event: MouseEvent) => {
    keyboard.setActive(key);
    const row = data[keys.indexOf(key)];
    if (row === undefined) return;
    if (href && (event.metaKey || event.ctrlKey)) window.open(href(row), "_blank", "noopener");
    else if (onSelect) onSelect(selected === key && !props.beside ? null : key);
    else if (href) leave(() => router.push(href(row)));
  });
  const onTick = useLatest(keyboard.tick);

  const onArrows = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLTableRowElement)) return;
    const steps: Record<string, number> = {
      ArrowDown: keyboard.at + 1,
      ArrowUp: keyboard.at - 1,
      Home: 0,
      End: keys.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    keyboard.move(to);
  };

  const clear = () => setTickedKeys(new Set());
  const otherWidth = (bulkActions ? tickWidth : 0) + (rowMenu ? menuWidth : 0);
  const widths = useMemo(() => columnStyles(columns, data, otherWidth), [columns, data, otherWidth]);
  // The height of phones is the stylesheet's, so that the first frame, drawn where no width is known, already has it.
  const wide = (props.lines === 2 ? twoLineRowHeights : rowHeights)[density];
  const style: CSSProperties & Record<"--row-wide" | "--row-narrow" | "--min" | "--min-close", string> = {
    "--row-wide": `${wide}px`,
    "--row-narrow": `${narrowRowHeight}px`,
    "--min": `${widths.min}px`,
    "--min-close": `${widths.minClose}px`,
  };
  const loading = rows === undefined && !error;
  const acting = ticked.size > 0 && bulkActions !== undefined;
  const columnCount = columns.length + (bulkActions ? 1 : 0) + (rowMenu ? 1 : 0);

  return (
    <div
      className={cn(
        "@container/list flex min-h-0 min-w-0 flex-1 flex-col [--row:var(--row-wide)] max-sm:[--row:var(--row-narrow)]",
        props.className,
      )}
      style={style}
    >
      <div className="flex min-h-12 shrink-0 items-start gap-2 border-b px-4 py-2 sm:px-6">
        {/* What can be done with rows covers the filters, which keep their room: the list stays where it is. */}
        <div className="grid min-w-0 flex-1">
          <div
            inert={acting}
            className={cn(
              "col-start-1 row-start-1 flex min-w-0 flex-wrap items-start gap-2 sm:flex-nowrap",
              acting && "invisible",
            )}
          >
            {props.toolbar}
          </div>
          {acting && (
            <div
              role="toolbar"
              aria-label="Selected rows"
              className="col-start-1 row-start-1 -m-1 flex min-h-8 min-w-0 items-center gap-2 self-start overflow-x-auto p-1 whitespace-nowrap [scrollbar-width:none] *:shrink-0 @max-[760px]/list:gap-1"
            >
              <span className="mr-1 text-table font-medium tabular-nums">
                {plural(ticked.size, "row")}
                <span className="@max-[760px]/list:sr-only"> selected</span>
              </span>
              {bulkActions?.([...ticked], clear)}
              <Button variant="ghost" onClick={clear}>
                Clear
              </Button>
            </div>
          )}
        </div>
        {props.fresh && props.fresh.count > 0 && <FreshPill {...props.fresh} />}
        <DataTableView
          columns={table.getAllLeafColumns().map((column) => ({
            id: column.id,
            header: byId.get(column.id)?.header ?? column.id,
            visible: column.getIsVisible(),
            locked: !column.getCanHide(),
          }))}
          onToggle={(id, visible) => table.getColumn(id)?.toggleVisibility(visible)}
          more={props.viewMore}
        />
      </div>

      <div
        ref={scroller}
        // Placeholders are not worth scrolling, and hold nothing a keyboard could scroll them by.
        className={cn(
          "@container relative min-h-0 flex-1 overscroll-contain",
          loading ? "overflow-hidden" : "overflow-auto",
        )}
        aria-busy={loading || props.fetching}
      >
        {props.fetching && rows !== undefined && <Sweep />}
        {error !== undefined && error !== null && rows === undefined ? (
          <ErrorState error={error} title={`${props.label} could not be loaded`} onRetry={props.onRetry} />
        ) : rows?.length === 0 ? (
          props.empty
        ) : (
          <>
            {error !== undefined && error !== null && <StaleLine error={error} onRetry={props.onRetry} />}
            <table
              role="table"
              aria-label={props.label}
              aria-rowcount={hasMore || loading ? -1 : lines.length + 1}
              className="w-full table-fixed border-separate border-spacing-0 text-table sm:min-w-(--min) sm:@max-[760px]/list:min-w-(--min-close) max-sm:block sm:[&_td]:border-b"
              onKeyDown={onArrows}
            >
              <colgroup className="max-sm:hidden">
                {bulkActions && <col style={{ width: tickWidth }} />}
                {columns.map((column, at) => (
                  <col
                    key={column.id}
                    style={widths.styles[at]}
                    className={cn("w-(--width) @max-[760px]/list:w-(--width-close)", column.roomy && whereNarrow)}
                  />
                ))}
                {rowMenu && <col style={{ width: menuWidth }} />}
              </colgroup>
              <DataTableHead
                columns={columns}
                ordering={props.ordering}
                onOrderingChange={props.onOrderingChange}
                menu={rowMenu !== undefined}
                ticks={
                  bulkActions && {
                    all: keys.length > 0 && ticked.size === keys.length,
                    some: ticked.size > 0,
                    onToggle: (all) => setTickedKeys(all ? new Set(keys) : new Set()),
                  }
                }
              />
              <tbody role="rowgroup" className="max-sm:block">
                {loading && (
                  <SkeletonRows columns={columns} before={bulkActions !== undefined} after={rowMenu !== undefined} />
                )}
                {above > 0 && <Spacer height={above} columns={columnCount} />}
                {indexes.map((index) => {
                  const row = lines[index]?.original;
                  const key = keys[index];
                  if (row === undefined || key === undefined) return null;
                  return (
                    <DataTableRow<Row>
                      key={key}
                      row={row}
                      rowKey={key}
                      label={rowLabel(row)}
                      index={index}
                      columns={columns}
                      active={key === keyboard.active}
                      open={key === selected}
                      ticked={ticked.has(key)}
                      href={href?.(row)}
                      onActivate={onActivate}
                      onFocus={keyboard.setActive}
                      onTick={bulkActions ? onTick : undefined}
                      menu={rowMenu}
                    />
                  );
                })}
                {below > 0 && <Spacer height={below} columns={columnCount} />}
              </tbody>
            </table>
            {hasMore && !props.loadingMore && !error && props.onLoadMore && (
              <LoadMoreSentinel key={lines.length} root={scroller} onReach={props.onLoadMore} />
            )}
          </>
        )}
      </div>

      {rows !== undefined && rows.length > 0 && (
        <DataTableFoot
          count={lines.length}
          noun={props.noun}
          hasMore={hasMore}
          loadingMore={props.loadingMore ?? false}
          ticked={ticked.size}
          onLoadMore={props.onLoadMore}
        />
      )}
    </div>
  );
}

const none: readonly never[] = [];
