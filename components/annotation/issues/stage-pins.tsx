"use client";

import { useSyncExternalStore } from "react";
import { cn } from "@/components/kit/cn";
import type { Point } from "@/domain/annotations/geometry";
import { usePlace } from "../stage/editor-picture";
import type { EditorStore } from "../store/editor-store";

/** An issue on the picture. */
export interface Pin {
  id: string;
  /** Its number in the list beside it. */
  number: number;
  /** "Wrong label". */
  label: string;
  point: Point | null;
  /** The shape that it is about, which has it where there is no place of its own. */
  shape: string | null;
  isOpen: boolean;
}

interface StagePinsProps {
  store: EditorStore;
  pins: readonly Pin[];
  onOpen: (id: string) => void;
}

/** Where a pin lies in the picture; null where its shape is gone. */
function findPlace({ point, shape }: Pin, store: EditorStore): Point | null {
  const bounds = point === null && shape !== null ? store.getBounds(shape) : null;
  return point ?? (bounds && [bounds.right, bounds.top]);
}

/** Issues where they are in the picture, by their number. */
export function StagePins({ store, pins, onOpen }: StagePinsProps) {
  usePlace(store);
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  return pins.map((each) => {
    const place = findPlace(each, store);
    if (!place) return null;
    const [x, y] = store.view.toStage(place);
    return (
      <button
        key={each.id}
        type="button"
        aria-label={`Issue ${each.number}: ${each.label}${each.isOpen ? "" : ", resolved"}`}
        onClick={() => onOpen(each.id)}
        style={{ transform: `translate(${Math.round(x)}px, ${Math.round(y)}px) translate(-50%, -100%)` }}
        className={cn(
          "absolute top-0 left-0 flex h-6 min-w-6 items-center justify-center rounded-full rounded-bl-none border-2 px-1 text-meta font-semibold tabular-nums shadow-float",
          each.isOpen
            ? "border-raised bg-critical-hover text-accent-foreground dark:border-surface dark:bg-critical"
            : "border-border-strong bg-raised text-muted",
        )}
      >
        {each.number}
      </button>
    );
  });
}
