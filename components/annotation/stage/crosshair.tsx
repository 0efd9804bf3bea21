"use client";

import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import type { Point } from "@/domain/annotations/geometry";
import type { EditorStore } from "../store/editor-store";

export interface CrosshairHandle {
  /** Where a pointer is over the stage; null: nowhere. */
  hover: (at: Point | null) => void;
}

const line = "pointer-events-none absolute top-0 left-0 hidden bg-white shadow-[0_0_0_1px_black]";

/** Two lines through the place where something would be drawn, over the whole stage; moved without a render. */
export function Crosshair({ store, ref }: { store: EditorStore; ref: Ref<CrosshairHandle> }) {
  const [across, down] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const hovered = useRef<Point | null>(null);
  const draw = () => {
    // The brush shows where it is by its own circle.
    const isDrawing = !["select", "tags", "brush"].includes(store.snapshot.tool);
    const at = store.cursor ? store.view.toStage(store.cursor) : hovered.current;
    const isShown = at !== null && isDrawing && store.canEdit;
    for (const element of [across.current, down.current]) if (element) element.style.display = isShown ? "block" : "";
    if (across.current && at) across.current.style.transform = `translateY(${at[1]}px)`;
    if (down.current && at) down.current.style.transform = `translateX(${at[0]}px)`;
  };
  useEffect(() => store.onDraw(draw));
  useImperativeHandle(ref, () => ({
    hover: (at) => {
      hovered.current = at;
      draw();
    },
  }));
  return (
    <>
      <div ref={across} aria-hidden className={`${line} h-px w-full`} />
      <div ref={down} aria-hidden className={`${line} h-full w-px`} />
    </>
  );
}
