"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { Eye, EyeOff } from "lucide-react";
import { useEffect, useId, useMemo, useRef, type KeyboardEvent } from "react";
import { cn } from "@/components/kit/cn";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import { getKind } from "./shapes/shape-kinds";

interface ShapeListboxProps {
  shapes: readonly DraftShape[];
  labels: readonly EditorLabel[];
  selected: readonly string[];
  onSelect: (ids: readonly string[]) => void;
  hidden: ReadonlySet<string>;
  onHide: (id: string, isHidden: boolean) => void;
  /** What is said of a shape beside its place: "2 issues". */
  notes: ReadonlyMap<string, string>;
}

const rowPixels = 28;

/** The shapes by label, in the order of the labels, and within one from below to above. */
function groupByLabel(shapes: readonly DraftShape[], labels: readonly EditorLabel[]): DraftShape[] {
  const ranks = new Map(labels.map((label, at) => [label.id, at]));
  const rank = ({ label_id }: DraftShape) => ranks.get(label_id) ?? labels.length;
  return shapes.toSorted((a, b) => rank(a) - rank(b));
}

/** The shapes as a list: arrows select, Space adds and takes away, with Shift several. Only rows in view are made. */
export function ShapeListbox(props: ShapeListboxProps) {
  const { shapes, labels, selected, onSelect, hidden, onHide, notes } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => groupByLabel(shapes, labels), [shapes, labels]);
  const byId = useMemo(() => new Map(labels.map((label) => [label.id, label])), [labels]);
  const chosen = useMemo(() => new Set(selected), [selected]);
  const last = selected.at(-1);
  const active = last === undefined ? -1 : rows.findIndex((shape) => shape.id === last);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPixels,
    overscan: 8,
  });
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active, { align: "auto" });
  }, [active, virtual]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active < 0 ? rows.length - 1 : active - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: active + 10,
      PageUp: active - 10,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = rows[Math.min(Math.max(step, 0), rows.length - 1)];
    if (!next) return;
    onSelect(event.shiftKey ? [...selected.filter((each) => each !== next.id), next.id] : [next.id]);
  }

  // A row that is not made cannot be named.
  const isMade = virtual.getVirtualItems().some(({ index }) => index === active);
  if (rows.length === 0) return <p className="p-3 text-table text-muted">No shapes yet. Choose a tool and draw.</p>;
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Shapes"
      aria-multiselectable
      aria-activedescendant={isMade ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto -outline-offset-2!"
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const shape = rows[index];
          if (!shape) return null;
          const kind = getKind(shape);
          const label = byId.get(shape.label_id);
          const name = label?.name ?? "no label";
          const note = notes.get(shape.id);
          const isHidden = hidden.has(shape.id);
          return (
            <div
              key={shape.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={chosen.has(shape.id)}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              onClick={(event) =>
                onSelect(
                  event.shiftKey || event.ctrlKey || event.metaKey
                    ? chosen.has(shape.id)
                      ? selected.filter((each) => each !== shape.id)
                      : [...selected, shape.id]
                    : [shape.id],
                )
              }
              className={cn(
                "absolute inset-x-0 top-0 flex h-7 cursor-default items-center gap-2 px-3 text-table hover:bg-hover",
                chosen.has(shape.id) && "bg-selected",
                isHidden && "text-subtle",
              )}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span
                className="size-3 shrink-0 rounded-control"
                style={{ background: label?.color ?? "var(--border-strong)" }}
              />
              <span className="truncate tabular-nums">
                {kind.name}, {name}
                <span className="text-meta text-subtle">, {kind.describe(shape)}</span>
              </span>
              {note !== undefined && <span className="ml-auto shrink-0 text-meta text-warning-text">{note}</span>}
              {isHidden && <span className="sr-only">hidden</span>}
              <span
                onClick={(event) => {
                  event.stopPropagation();
                  onHide(shape.id, !isHidden);
                }}
                className={cn("shrink-0 [&_svg]:size-3.5", note === undefined && "ml-auto")}
              >
                {isHidden ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
