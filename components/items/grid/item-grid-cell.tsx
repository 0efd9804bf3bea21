"use client";

import { memo, type MouseEvent } from "react";
import { hatched, itemLooks } from "@/components/items/item-looks";
import type { ItemCell } from "@/components/items/item-source";
import { ItemStatusMark } from "@/components/items/item-status-mark";
import { mediaGlyphs } from "@/components/items/media-glyphs";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { Shape } from "@/components/kit/shape";
import { TruncateMiddle } from "@/components/kit/truncate";
import { itemStatusLabels } from "@/domain/datasets/item-status";
import { toMediaKind } from "@/domain/items/viewer-schema";
import { toCellColour } from "./cell-colour";
import type { Colouring } from "./grid-address";
import { ItemPicture } from "./item-picture";
import type { CellShape } from "./use-cell-shapes";
import type { Predicted } from "./use-predictions";

interface ItemGridCellProps {
  /** Undefined while its page loads. */
  item: ItemCell | undefined;
  index: number;
  column: number;
  gone: boolean;
  table: boolean;
  height: number;
  active: boolean;
  ticked: boolean;
  ticking: boolean;
  load: boolean;
  colouring: Colouring;
  shapes: readonly CellShape[] | undefined;
  /** What the chosen run predicted, and whether its shapes are drawn. */
  predicted: Predicted | undefined;
  drawsPredicted: boolean;
  /** Whether the names of files are shown. */
  named: boolean;
  onPress: (index: number, event: MouseEvent) => void;
  onTick: (index: number, range: boolean) => void;
}

export const cellId = (index: number): string => `item-${index}`;

function describeExtent({ media_type, extent }: ItemCell): string | null {
  const kind = toMediaKind(media_type);
  if (extent === null) return null;
  if (kind === "points") return plural(extent, "point");
  return kind === "video" || kind === "recording" ? formatDuration(extent * 1_000) : null;
}

/** One item of the grid, or a row of its table. */
export const ItemGridCell = memo(function ItemGridCell(props: ItemGridCellProps) {
  const { item, index, column, table, height, active, ticked, ticking, load, colouring, onPress, onTick } = props;
  const { shapes, predicted, drawsPredicted, named } = props;
  const gone = props.gone || item?.gone === true;
  const Kind = mediaGlyphs[toMediaKind(item?.media_type ?? "")];
  const colour = item && !gone ? toCellColour(item, colouring, predicted) : null;
  const box = item && !gone && (
    <span
      className={cn(
        table ? "flex" : "absolute top-1 left-1 rounded-control bg-raised p-1",
        !table && !ticked && !ticking && "opacity-0 group-hover:opacity-100 focus-within:opacity-100",
      )}
      onClick={(event) => event.stopPropagation()}
    >
      <Checkbox
        checked={ticked}
        tabIndex={-1}
        aria-label={`Select ${item.key}`}
        onCheckedChange={(_, event) => onTick(index, event instanceof MouseEvent && event.shiftKey)}
      />
    </span>
  );
  const extent = item ? describeExtent(item) : null;
  return (
    <div
      role="gridcell"
      id={cellId(index)}
      aria-colindex={column + 1}
      aria-selected={ticked}
      aria-busy={!item && !gone ? true : undefined}
      title={gone ? "It was deleted, or does not match any more." : undefined}
      data-uid={item?.uid}
      onClick={(event) => onPress(index, event)}
      className={cn(
        "group relative min-w-0 cursor-pointer overflow-hidden rounded-control bg-raised",
        table ? "flex items-center gap-3 border-b px-4 sm:px-6" : "border",
        active && "-outline-offset-2 outline-accent group-focus/grid:outline-2",
        ticked && "bg-selected",
        ticked && !table && "border-accent",
      )}
      style={{ height }}
    >
      {gone ? (
        <span className={cn(hatched, "flex size-full items-center justify-center text-meta text-muted")}>gone</span>
      ) : !item ? (
        <span className="block size-full bg-hover" />
      ) : table ? (
        <>
          {box}
          <ItemPicture item={item} load={load} className="h-9 w-12 shrink-0 rounded-control" />
          <span className="min-w-0 flex-1 font-mono text-table">
            <TruncateMiddle text={item.key} />
          </span>
          {colour && colouring !== "status" && <Mark {...colour} />}
          <span className="w-28 shrink-0 text-right text-meta text-muted max-sm:hidden">
            {extent ?? (item.width !== null && item.height !== null ? `${item.width} × ${item.height}` : "")}
          </span>
          <span className="w-20 shrink-0 text-right text-meta text-muted tabular-nums max-sm:hidden">
            {item.annotations_count > 0 && formatNumber(item.annotations_count, 0)}
          </span>
          <span className="w-24 shrink-0 text-table">
            <ItemStatusMark status={item.status} />
          </span>
        </>
      ) : (
        <>
          <ItemPicture
            item={item}
            load={load}
            shapes={shapes}
            predicted={drawsPredicted ? predicted?.shapes : undefined}
            className={cn("absolute inset-x-0 top-0", named ? "bottom-6" : "bottom-0")}
          />
          {box}
          {extent !== null && (
            <span
              className={cn(
                "absolute right-1 flex items-center gap-1 rounded-control bg-raised px-1 text-meta tabular-nums",
                named ? "bottom-7" : "bottom-1",
              )}
            >
              <Kind aria-hidden className="size-3" />
              {extent}
            </span>
          )}
          {colour && (
            <span
              className={cn(
                "absolute left-1 max-w-3/4 rounded-control bg-raised px-1",
                named ? "bottom-7" : "bottom-1",
              )}
            >
              <Mark {...colour} />
            </span>
          )}
          <span
            className={cn(
              "absolute inset-x-0 bottom-0 h-6 items-center gap-1.5 px-1.5 text-meta",
              named ? "flex" : "hidden",
            )}
          >
            <span className="min-w-0 flex-1 font-mono">
              <TruncateMiddle text={item.key} tail={8} />
            </span>
            <span title={itemStatusLabels[item.status]} className="flex text-muted">
              <Shape name={itemLooks[item.status].shape} />
              <span className="sr-only">{itemStatusLabels[item.status]}</span>
            </span>
          </span>
        </>
      )}
    </div>
  );
});

function Mark({ colour, text }: { colour: string; text: string }) {
  return (
    <span className="flex max-w-full min-w-0 items-center gap-1 text-meta">
      <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ backgroundColor: colour }} />
      <span className="truncate">{text}</span>
    </span>
  );
}
