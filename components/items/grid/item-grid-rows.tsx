"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import type { ItemCell, ItemQuery, ItemSurvey } from "@/components/items/item-source";
import { useLatest } from "@/components/kit/latest";
import { useNarrow } from "@/components/kit/media-query";
import { useShortcuts } from "@/components/kit/shortcuts";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { BusyNotice } from "./busy-notice";
import type { GridAddress } from "./grid-address";
import { gap, layOut, moveTo } from "./grid-layout";
import type { GridShow } from "./grid-toolbar";
import { cellId, ItemGridCell } from "./item-grid-cell";
import { ItemPreview } from "./item-preview";
import { coverCells, isCovered, type Lasso } from "./lasso-cells";
import { listPages } from "./page-rows";
import { useCellShapes } from "./use-cell-shapes";
import { useGridPlace } from "./use-grid-place";
import { useGridSelection } from "./use-grid-selection";
import { useItemPages } from "./use-item-pages";
import { useLasso } from "./use-lasso";
import { usePredictions } from "./use-predictions";
import { useScrollSpeed } from "./use-scroll-speed";

interface ItemGridRowsProps {
  query: ItemQuery;
  survey: ItemSurvey;
  /** The first items, if they are known before their page. */
  beginning: readonly ItemCell[] | undefined;
  address: GridAddress;
  show: GridShow;
  /** The run whose predictions are shown. */
  run: string | null;
  label: string;
  /** Opens the drawer of an item. */
  onOpen: (uid: string) => void;
  /** Opens the page of an item. */
  onOpenPage: (uid: string) => void;
  /** What is shown below the grid for what is chosen. */
  selectionBar: (selection: ReturnType<typeof useGridSelection>) => ReactNode;
}

/** A hold of this many milliseconds on a touch screen chooses an item. */
const holdMs = 500;

/** The items themselves: rows of cells near the screen, in a list that is as long as all of them. */
export function ItemGridRows(props: ItemGridRowsProps) {
  const { query, survey, beginning, address, show, run, label, onOpen, onOpenPage, selectionBar } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const table = address.view === "table";
  const [width, setWidth] = useState(0);
  const [active, setActive] = useState(0);
  const [previewed, setPreviewed] = useState(false);
  const fast = useScrollSpeed(scroller);
  const padding = table ? 0 : narrow ? 8 : 24;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);

  const { count } = survey;
  const layout = layOut({
    width: Math.max(1, width - 2 * padding),
    size: address.size,
    count,
    table,
    narrow,
    named: show.names,
  });
  const { columns, cellWidth, cellHeight, rowHeight, rows } = layout;
  const paddingStart = table ? 0 : 8;
  const virtualizer = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 2,
    paddingStart,
    paddingEnd: 24,
    useFlushSync: false,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const mounted = width === 0 ? [] : virtualizer.getVirtualItems();
  const [firstRow, lastRow] = [mounted[0]?.index ?? 0, mounted.at(-1)?.index ?? 0];
  const onScreen = listPages(firstRow * columns, (lastRow + 1) * columns - 1, survey.every, survey.anchors.length);
  const [pageNumbers, setPageNumbers] = useState<readonly number[]>([]);
  const pages = useItemPages(query, survey, pageNumbers, beginning);
  // While nothing can be seen, or the server is busy, what was loaded is enough.
  if (!fast && !pages.refusal && pageNumbers.join() !== onScreen.join()) setPageNumbers(onScreen);
  const shapes = useCellShapes(query.dataset, pages.loaded, show.shapes && !table && !fast);
  const predictions = usePredictions(query.dataset, fast ? null : run, pages.loaded);
  const selection = useGridSelection({ filter: query.filter, count, uidsBetween: pages.uidsBetween });

  // Where the page was left, or what a link names, once.
  const place = useGridPlace(query, survey, address.at);
  const [arrived, setArrived] = useState(false);
  const scrollTo = useLatest((index: number, align: "start" | "auto") =>
    virtualizer.scrollToIndex(Math.floor(index / columns), { align }),
  );
  useEffect(() => {
    if (place === null || width === 0 || arrived) return;
    if (place > 0) {
      scrollTo(place, "start");
      setActive(Math.min(place, count - 1));
    }
    setArrived(true);
  }, [place, width, arrived, count, scrollTo]);

  // Another filter or order begins at its first item.
  const [shown, setShown] = useState(query);
  if (shown !== query && JSON.stringify(shown) !== JSON.stringify(query)) {
    setShown(query);
    setActive(0);
  }
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [shown]);

  const top = Math.floor(Math.max(0, (virtualizer.scrollOffset ?? 0) - 8) / rowHeight) * columns;
  const topUid = pages.item(top)?.uid ?? null;
  const follow = useLatest((uid: string | null) => address.setAt(uid));
  const moved = useRef(false);
  useEffect(() => {
    // At its place only once it was scrolled there.
    if (!arrived || fast || topUid === null || (top === 0 && !moved.current)) return;
    moved.current = true;
    follow(top === 0 ? null : topUid);
  }, [arrived, fast, top, topUid, follow]);

  const go = (index: number) => {
    setActive(index);
    scrollTo(index, "auto");
  };
  const onTick = useLatest((index: number, range: boolean) => {
    const uid = pages.item(index)?.uid;
    setActive(index);
    if (range) void selection.extend(index);
    else if (uid !== undefined) selection.toggle(uid, index);
  });
  const onPress = useLatest((index: number, event: MouseEvent) => {
    const uid = pages.item(index)?.uid;
    if (uid === undefined) return;
    setActive(index);
    if (event.shiftKey) onTick(index, true);
    else if (event.metaKey || event.ctrlKey) onTick(index, false);
    else onOpen(uid);
  });

  // Also where the focus is beside the grid, such as in the drawer of an item: the text of the page is never marked.
  useShortcuts([{ keys: "mod+a", label: "Select all that match", group: "Items", run: selection.chooseAll }]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey) return;
    const at = Math.min(active, Math.max(0, count - 1));
    const uid = pages.item(at)?.uid;
    const rowsOnScreen = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowHeight) / rowHeight));
    const next = event.ctrlKey || event.metaKey ? null : moveTo(event.key, at, { columns, count, rowsOnScreen });
    const key = event.key.toLowerCase();
    if (next !== null) go(next);
    else if (event.ctrlKey || event.metaKey) return;
    else if (key === "x") onTick(at, event.shiftKey);
    else if (key === " " && !event.repeat) setPreviewed(true);
    else if (key === " ") return event.preventDefault();
    else if (key === "enter" && uid !== undefined) onOpenPage(uid);
    else if (key === "escape" && selection.selection !== null) selection.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const cover = (area: Lasso) =>
    coverCells(
      area,
      { start: paddingStart, length: cellHeight, step: rowHeight, count: rows },
      { start: padding, length: cellWidth, step: cellWidth + gap, count: columns },
    );
  const { lasso, handlers: lassoHandlers } = useLasso(scroller, (area, keep) => {
    const cells = cover(area);
    if (!cells) return;
    const last = Math.min(count, (cells.lastRow + 1) * columns) - 1;
    const isWanted = (index: number) => isCovered(cells, index, columns);
    void pages
      .uidsBetween(cells.firstRow * columns, last, isWanted)
      .then((uids) => selection.choose(uids, keep))
      .catch((error: unknown) => toast.failure(error, { title: "The items could not be selected" }));
  });
  const lassoed = lasso && cover(lasso);

  const held = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => clearTimeout(held.current);

  const activeItem = pages.item(active);
  const activeRow = Math.floor(active / columns);
  const isMounted = mounted.length > 0 && activeRow >= firstRow && activeRow <= lastRow;
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
      <BusyNotice refusal={pages.refusal} />
      {pages.error !== null && (
        <div className="px-4 sm:px-6">
          <ErrorState error={pages.error} title="Some items could not be loaded" onRetry={pages.retry} />
        </div>
      )}
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows}
        aria-colcount={columns}
        aria-multiselectable
        aria-activedescendant={isMounted ? cellId(active) : undefined}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => event.key === " " && setPreviewed(false)}
        onBlur={() => setPreviewed(false)}
        {...lassoHandlers}
        onPointerDown={(event) => {
          lassoHandlers.onPointerDown(event);
          const cell = event.target instanceof Element ? event.target.closest("[role=gridcell]") : null;
          if (event.pointerType !== "touch" || !cell) return;
          const index = Number(cell.id.replace("item-", ""));
          release();
          held.current = setTimeout(() => onTick(index, false), holdMs);
        }}
        onPointerUp={() => {
          release();
          lassoHandlers.onPointerUp();
        }}
        onPointerCancel={() => {
          release();
          lassoHandlers.onPointerCancel();
        }}
        className="group/grid min-h-0 flex-1 overflow-y-auto outline-none select-none"
      >
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {mounted.map((row) => (
            <div
              key={row.key}
              role="row"
              aria-rowindex={row.index + 1}
              className="absolute inset-x-0 grid"
              style={{
                top: row.start,
                paddingInline: padding,
                columnGap: gap,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {Array.from({ length: Math.min(columns, count - row.index * columns) }, (_, column) => {
                const index = row.index * columns + column;
                const item = pages.item(index);
                return (
                  <ItemGridCell
                    key={column}
                    item={item}
                    index={index}
                    column={column}
                    gone={pages.isGone(index)}
                    table={table}
                    height={cellHeight}
                    active={index === active}
                    ticked={
                      item !== undefined &&
                      (selection.isTicked(item.uid) || (lassoed !== null && isCovered(lassoed, index, columns)))
                    }
                    ticking={selection.selection !== null}
                    load={!fast}
                    colouring={address.colouring}
                    shapes={item && shapes.get(item.uid)}
                    predicted={item && predictions.get(item.uid)}
                    drawsPredicted={show.shapes}
                    named={show.names}
                    onPress={onPress}
                    onTick={onTick}
                  />
                );
              })}
            </div>
          ))}
          {lasso && <LassoFrame lasso={lasso} />}
        </div>
      </div>
      {selectionBar(selection)}
      {previewed && activeItem && <ItemPreview item={activeItem} />}
    </div>
  );
}

const LassoFrame = ({ lasso: { left, top, right, bottom } }: { lasso: Lasso }) => (
  <div
    aria-hidden
    className="pointer-events-none absolute border border-accent bg-accent/10"
    style={{ left, top, width: right - left, height: bottom - top }}
  />
);
