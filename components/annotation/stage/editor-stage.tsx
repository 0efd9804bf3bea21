"use client";

import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode, type RefObject } from "react";
import { StageTools } from "@/components/items/viewer/stage-tools";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { useLatest } from "@/components/kit/latest";
import type { EditorStore } from "../store/editor-store";
import { getTool } from "../tools/tools";
import { Crosshair, type CrosshairHandle } from "./crosshair";
import { EditorPicture, usePlace, type PictureSource } from "./editor-picture";
import { StageDrawing } from "./stage-drawing";
import { useStagePointer } from "./use-stage-pointer";

interface EditorStageProps {
  store: EditorStore;
  ref: RefObject<HTMLDivElement | null>;
  source: PictureSource;
  filter: string;
  /** Whether Space is held: a drag moves the picture. */
  isPanning: boolean;
  /** What happened last, for people who see the stage. */
  said: string;
  /** What can be done here; by default what the tool in hand does. */
  hint?: string;
  /** The picture is there. */
  onDrawn?: () => void;
  onFailure: () => void;
  /** What lies above the shapes. */
  children?: ReactNode;
}

const never = () => {};

/** The picture with its shapes, where they are drawn. */
export function EditorStage({
  store,
  ref,
  source,
  filter,
  isPanning,
  said,
  hint,
  onDrawn = never,
  onFailure,
  children,
}: EditorStageProps) {
  const still = useRef<HTMLCanvasElement>(null);
  const active = useRef<HTMLCanvasElement>(null);
  const crosshair = useRef<CrosshairHandle>(null);
  const { listed, tool } = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  const handlers = useStagePointer(store, isPanning, (at) => crosshair.current?.hover(at));
  const [isSeen, setSeen] = useState(false);
  const onWheel = useLatest((event: WheelEvent, box: DOMRect) =>
    store.view.zoom(Math.exp(-event.deltaY / 300), [event.clientX - box.left, event.clientY - box.top]),
  );
  useEffect(() => {
    const element = ref.current;
    if (!element || !still.current || !active.current) return;
    const measure = () => store.view.setPanel(element.clientWidth, element.clientHeight);
    measure();
    const drawing = new StageDrawing(store, still.current, active.current);
    const observer = new ResizeObserver(() => {
      measure();
      setSeen(true);
    });
    observer.observe(element);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      onWheel(event, element.getBoundingClientRect());
    };
    // React's own listener is passive and cannot prevent scrolling.
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      drawing.dispose();
      observer.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, [store, ref, onWheel]);
  const keyHint =
    hint ??
    `${getTool(tool).hint}. Arrows move, Space sets a point, Enter finishes, Tab goes to the next shape. Question mark shows all keys.`;
  return (
    <div className="relative min-h-0 min-w-0 flex-1 overflow-hidden">
      <div
        ref={ref}
        role="application"
        aria-label={`Picture, ${plural(listed.length, "shape")}`}
        aria-describedby="editor-key-hint"
        tabIndex={0}
        data-ready={isSeen || undefined}
        className={cn(
          "absolute inset-0 touch-none overflow-hidden bg-background select-none -outline-offset-2!",
          isPanning ? "cursor-grab active:cursor-grabbing" : tool !== "select" && tool !== "tags" && "cursor-crosshair",
        )}
        {...handlers}
        onPointerLeave={() => crosshair.current?.hover(null)}
      >
        <EditorPicture store={store} source={source} filter={filter} onDrawn={onDrawn} onFailure={onFailure} />
        <canvas ref={still} aria-hidden data-layer="still" className="pointer-events-none absolute inset-0 size-full" />
        <canvas
          ref={active}
          aria-hidden
          data-layer="active"
          className="pointer-events-none absolute inset-0 size-full"
        />
        <Crosshair store={store} ref={crosshair} />
      </div>
      <p id="editor-key-hint" className="sr-only">
        {keyHint}
      </p>
      <p className="pointer-events-none absolute bottom-2 left-2 max-w-[60%] truncate max-sm:max-w-[50%] rounded-panel border bg-background/90 px-2 py-1 text-meta text-muted">
        {said || (hint ?? getTool(tool).hint)}
      </p>
      {children}
      <PlacedTools store={store} />
    </div>
  );
}

function PlacedTools({ store }: { store: EditorStore }) {
  const { place } = usePlace(store);
  const { view } = store;
  return (
    <StageTools
      place={{ place, fit: () => view.fit(), full: () => view.full(), zoom: (factor) => view.zoom(factor) }}
    />
  );
}
