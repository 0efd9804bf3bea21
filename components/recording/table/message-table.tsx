"use client";

import { Download } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { saveFile } from "@/components/kit/save-file";
import { SkeletonText } from "@/components/kit/skeleton";
import { useRowWindow } from "@/components/list/data-table-window";
import { exactLabel } from "@/components/plots/axis-labels";
import { PanelError } from "@/components/product/panel-error";
import { describeNone } from "@/components/product/panel-texts";
import { UnshownRow } from "@/components/product/unshown-message";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatCell, listColumns, rowsCsv, type MessageRow } from "./message-rows";
import { useMessageRows } from "./use-message-rows";

const rowHeight = 24;
/** Where more rows are requested: this near to either end. */
const nearPx = 400;
const timeWidth = 116;
const columnWidth = 132;
/** The least room of what can be done with a message that is not shown, and the beginning of why. */
const unshownWidth = 210;

/** The messages of a topic around the playhead, as many as were scrolled to. */
export function MessageTable({ topic }: { topic: string }) {
  const { axis, recording } = useTimeline();
  const [anchor, setAnchor] = useState(() => axis.ns(axis.playhead ?? axis.bounds.from));
  const { rows, query } = useMessageRows(recording.uid, topic, anchor);
  const columns = useMemo(() => listColumns(rows), [rows]);
  const playhead = axis.ns(useDebouncedPlayhead(axis, 150));
  const [first, last] = [rows[0], rows.at(-1)];
  const isLoaded = first !== undefined && last !== undefined && playhead >= first.ns - 1n && playhead <= last.ns;
  if (query.error && rows.length === 0) {
    return (
      <PanelError error={query.error} title="The messages could not be read" onRetry={() => void query.refetch()} />
    );
  }
  if (query.isPending) return <SkeletonText lines={6} />;
  if (rows.length === 0) return <p className="text-table text-muted">{describeNone(topic)}</p>;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-muted tabular-nums">
        <span role="status">
          {plural(rows.length, "message")} loaded
          {columns.length > 0 && `, ${plural(columns.length, "field")}`}
        </span>
        {!isLoaded && (query.hasNextPage || query.hasPreviousPage) && (
          <Button size="sm" onClick={() => setAnchor(playhead)}>
            Go to the playhead
          </Button>
        )}
        <Button
          size="sm"
          icon={<Download aria-hidden />}
          onClick={() =>
            saveFile({
              name: `${topic.replaceAll(/[^\w.-]+/g, "_").replace(/^_/, "")}.csv`,
              content: rowsCsv(rows, columns),
              type: "text/csv",
            })
          }
        >
          Save as CSV
        </Button>
      </div>
      <Rows topic={topic} rows={rows} columns={columns} playhead={playhead} query={query} />
    </>
  );
}

interface RowsProps {
  topic: string;
  rows: readonly MessageRow[];
  columns: readonly string[];
  playhead: bigint;
  query: ReturnType<typeof useMessageRows>["query"];
}

function Rows({ topic, rows, columns, playhead, query }: RowsProps) {
  const { axis } = useTimeline();
  const { zone } = useTimeZone();
  const scroller = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const { indexes, above, below } = useRowWindow({ keys, height: rowHeight, scroller });
  const current = rows.findLastIndex(({ ns }) => ns <= playhead);
  const onScroll = useKeptPlace(scroller, keys);
  // The row of the playhead stays in view, unless somebody works in the table.
  useEffect(() => {
    const box = scroller.current;
    if (!box || current === -1 || box.contains(document.activeElement)) return;
    const top = current * rowHeight;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 3 * rowHeight)
      box.scrollTop = top - box.clientHeight / 2;
    // Rows that are added keep their place by themselves.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows[current]?.key]);
  const { fetchNextPage, fetchPreviousPage, hasNextPage, hasPreviousPage, isFetching } = query;
  const loadNear = useCallback(() => {
    const box = scroller.current;
    if (!box || isFetching) return;
    if (hasNextPage && box.scrollHeight - box.scrollTop - box.clientHeight < nearPx) void fetchNextPage();
    else if (hasPreviousPage && box.scrollTop < nearPx) void fetchPreviousPage();
  }, [fetchNextPage, fetchPreviousPage, hasNextPage, hasPreviousPage, isFetching]);
  useEffect(loadNear, [loadNear, rows]);
  const isAnyUnshown = rows.some(({ error }) => error !== null);
  const cell = "truncate border-b px-2 text-left";
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={`Messages of ${topic}`}
      aria-busy={isFetching || undefined}
      className="@container -mx-3 min-h-60 flex-1 overflow-auto overscroll-contain border-y -outline-offset-2! max-lg:h-96 max-lg:flex-none"
      onScroll={() => {
        onScroll();
        loadNear();
      }}
    >
      <table
        aria-label={`Messages of ${topic}`}
        aria-rowcount={-1}
        className="w-full table-fixed border-separate border-spacing-0 font-mono text-meta tabular-nums"
        style={{ minWidth: timeWidth + Math.max(columns.length * columnWidth, isAnyUnshown ? unshownWidth : 0) }}
      >
        <colgroup>
          <col style={{ width: timeWidth }} />
          {columns.map((path) => (
            <col key={path} style={{ width: columnWidth }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-surface text-muted">
          <tr style={{ height: rowHeight }}>
            <th scope="col" className={cn(cell, "font-normal")}>
              Time
            </th>
            {columns.length === 0 && (
              <th scope="col" className={cn(cell, "font-normal")}>
                Message
              </th>
            )}
            {columns.map((path) => (
              <th key={path} scope="col" title={path} className={cn(cell, "font-normal")}>
                {path}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Room height={above} columns={columns.length + 1} />}
          {indexes.map((index) => {
            const row = rows[index];
            if (!row) return null;
            const label = exactLabel(axis, axis.seconds(row.ns), zone);
            return (
              <tr
                key={row.key}
                aria-current={index === current || undefined}
                style={{ height: rowHeight }}
                className={cn("cursor-pointer hover:bg-hover", index === current && "bg-selected")}
                onClick={() => axis.play(axis.seconds(row.ns))}
              >
                <th scope="row" className={cn(cell, "font-normal")}>
                  <button type="button" className="-outline-offset-2!" title={`Go to ${label}`}>
                    {label}
                  </button>
                </th>
                {row.error === null ? (
                  columns.map((path) => {
                    const text = formatCell(row.values.get(path));
                    return (
                      <td key={path} title={text} className={cell}>
                        {text}
                      </td>
                    );
                  })
                ) : (
                  <td colSpan={Math.max(1, columns.length)} className={cell}>
                    {/* As wide as what is seen of the table, however wide that is. */}
                    <div style={{ maxWidth: `max(100cqw - ${timeWidth}px, ${unshownWidth}px)` }} className="pr-4">
                      <UnshownRow reason={row.error} message={{ topic, time: row.ns }} />
                    </div>
                  </td>
                )}
              </tr>
            );
          })}
          {below > 0 && <Room height={below} columns={columns.length + 1} />}
        </tbody>
      </table>
    </div>
  );
}

function Room({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className="invisible" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}

/** Keeps the rows on the screen where they are when others come before them; returns what to call on scrolling. */
function useKeptPlace(scroller: React.RefObject<HTMLElement | null>, keys: readonly string[]): () => void {
  const place = useRef<{ key: string; offset: number } | null>(null);
  useLayoutEffect(() => {
    const box = scroller.current;
    const index = place.current ? keys.indexOf(place.current.key) : -1;
    if (place.current && index >= 0) box?.scrollTo({ top: index * rowHeight + place.current.offset });
  }, [keys, scroller]);
  return () => {
    const top = scroller.current?.scrollTop ?? 0;
    const index = Math.floor(top / rowHeight);
    const key = keys[index];
    place.current = key === undefined ? null : { key, offset: top - index * rowHeight };
  };
}
