"use client";

import { Ban, Check, CircleAlert, MessageSquareWarning } from "lucide-react";
import { useEffect, useRef } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import { MediaImage } from "@/components/items/viewer/media-image";
import { Checkbox } from "@/components/kit/checkbox";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { TruncateMiddle } from "@/components/kit/truncate";
import type { HeldDecision } from "./decision-sender";
import type { ReviewedResult } from "./query";

/** A row of the queue; what somebody else decided meanwhile stays with what became of it. */
export interface QueueRow extends ReviewedResult {
  /** "Accepted by ben". */
  became?: string;
}

interface ReviewQueueProps {
  rows: readonly QueueRow[];
  held: ReadonlyMap<string, HeldDecision>;
  /** The uid of the open one. */
  open: string | null;
  /** Whether several can be selected, to be decided at once. */
  mayDecide: boolean;
  onOpen: (uid: string) => void;
  chosen: ReadonlySet<string>;
  onChoose: (uid: string, isChosen: boolean) => void;
  onUndo: (uid: string) => void;
}

export const canBeDecided = (row: QueueRow, held: ReadonlyMap<string, HeldDecision>): boolean =>
  !row.is_own && row.became === undefined && !held.has(row.uid);

/** What waits for a decision, and what was decided just now. */
export function ReviewQueue({ rows, held, open, onOpen, mayDecide, chosen, onChoose, onUndo }: ReviewQueueProps) {
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  return (
    <ul aria-label="Results to review" className="min-h-0 flex-1 overflow-y-auto">
      {rows.map((row) => {
        const decision = held.get(row.uid);
        const isOpen = row.uid === open;
        const isOver = decision !== undefined || row.became !== undefined;
        return (
          <li
            key={row.uid}
            ref={isOpen ? current : undefined}
            className={cn(
              "relative flex h-13 items-center gap-2 border-b pl-3 hover:bg-hover",
              isOpen && "bg-selected hover:bg-selected",
            )}
          >
            {isOpen && <span aria-hidden className="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
            <Checkbox
              checked={chosen.has(row.uid)}
              disabled={!mayDecide || !canBeDecided(row, held)}
              aria-label={`Select ${row.name}`}
              onCheckedChange={(isChosen) => onChoose(row.uid, isChosen)}
            />
            <button
              type="button"
              aria-current={isOpen || undefined}
              onClick={() => onOpen(row.uid)}
              className="flex min-w-0 flex-1 items-center gap-2.5 py-2 pr-3 text-left -outline-offset-2!"
            >
              <span
                className={cn("h-9 w-12 shrink-0 overflow-hidden rounded-control bg-border", isOver && "opacity-60")}
              >
                {row.has_thumbnail && (
                  <MediaImage
                    alt=""
                    src={itemMediaHref(row.item, "thumb")}
                    loading="lazy"
                    className="size-full object-cover"
                  />
                )}
              </span>
              <span className="min-w-0 flex-1">
                <span className={cn("flex text-table", isOver && "text-muted")}>
                  <TruncateMiddle text={row.name} tail={12} />
                </span>
                <span className="flex gap-2 text-meta text-muted tabular-nums">
                  <span className="min-w-0 truncate">
                    <RowMeta row={row} decision={decision} />
                  </span>
                  {row.open_issues > 0 && decision === undefined && (
                    <span className="ml-auto inline-flex shrink-0 items-center gap-1">
                      <MessageSquareWarning aria-hidden className="size-3.5" />
                      {plural(row.open_issues, "issue")}
                    </span>
                  )}
                </span>
              </span>
            </button>
            {decision?.phase === "waiting" && (
              <button
                type="button"
                onClick={() => onUndo(row.uid)}
                aria-label={`Undo: ${row.name}`}
                className="mr-3 shrink-0 rounded-control text-meta font-medium text-accent-text hover:underline"
              >
                Undo
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function RowMeta({ row, decision }: { row: QueueRow; decision: HeldDecision | undefined }) {
  if (decision?.phase === "failed")
    return (
      <span className="inline-flex items-center gap-1 text-warning-text" title={decision.why}>
        <CircleAlert aria-hidden className="size-3.5" />
        Not sent yet, tried again
      </span>
    );
  if (decision)
    return decision.verdict === "accept" ? (
      <span className="inline-flex items-center gap-1 text-online-text">
        <Check aria-hidden className="size-3.5" />
        Accepted
      </span>
    ) : (
      <span className="inline-flex items-center gap-1 text-warning-text">
        <Ban aria-hidden className="size-3.5" />
        Rejected
      </span>
    );
  if (row.became !== undefined) return row.became;
  return [
    row.is_own ? "yours" : row.submitted_by,
    ...(row.round > 1 ? [`round ${row.round}`] : []),
    plural(row.shape_count, "shape"),
  ].join(" · ");
}
