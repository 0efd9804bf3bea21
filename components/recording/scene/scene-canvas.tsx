"use client";

import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { useLatest } from "@/components/kit/latest";
import type { OpenScene } from "./use-scene";

/** Pixels that a press may move before it is a drag. */
const dragReach = 4;
/** Pixels of a drag that one press of an arrow key stands for. */
const keyStep = 24;

interface SceneCanvasProps {
  frame: RefObject<HTMLDivElement | null>;
  open: OpenScene | null;
  /** What the scene shows, for those who do not see it. */
  label: string;
  /** A press on a place, in pixels. */
  onPress: (x: number, y: number) => void;
  /** Runs a key's command; false for keys that have none. */
  onKey: (key: string) => boolean;
}

/** The picture of a scene with what moves its camera: drags, the wheel, and keys while it has the focus. */
export function SceneCanvas({ frame, open, label, onPress, onKey }: SceneCanvasProps) {
  const drag = useRef<{ x: number; y: number; moved: boolean; pans: boolean } | null>(null);
  const zoom = useLatest((factor: number) => void open?.thread.zoom(factor));
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      // The page scrolls until somebody works in the scene.
      const isOurs = event.ctrlKey || event.metaKey || document.activeElement === element;
      if (!isOurs) return;
      event.preventDefault();
      zoom(Math.exp(-Math.max(-1, Math.min(1, event.deltaY / 300))));
    };
    // React's own listener is passive and cannot prevent scrolling.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [frame, zoom]);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    // A finger scrolls the page.
    if (event.button > 2 || event.pointerType === "touch") return;
    drag.current = { x: event.clientX, y: event.clientY, moved: false, pans: event.button > 0 || event.shiftKey };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = drag.current;
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < dragReach) return;
    drag.current = { ...from, x: event.clientX, y: event.clientY, moved: true };
    void (from.pans ? open?.thread.pan(dx, dy) : open?.thread.turn(dx, dy));
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const from = drag.current;
    drag.current = null;
    if (!from || from.moved || from.pans) return;
    const box = event.currentTarget.getBoundingClientRect();
    onPress(event.clientX - box.left, event.clientY - box.top);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move(event.key, event.shiftKey) || onKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const move = (key: string, pans: boolean): boolean => {
    const ways: Readonly<Record<string, [number, number]>> = {
      ArrowLeft: [keyStep, 0],
      ArrowRight: [-keyStep, 0],
      ArrowUp: [0, keyStep],
      ArrowDown: [0, -keyStep],
    };
    const way = ways[key];
    if (way) void (pans ? open?.thread.pan(...way) : open?.thread.turn(...way));
    else if (key === "+" || key === "=") zoom(1.25);
    else if (key === "-") zoom(0.8);
    else return false;
    return true;
  };
  return (
    <div
      ref={frame}
      role="img"
      // What has keys of its own takes the focus.
      tabIndex={0}
      aria-label={label}
      aria-keyshortcuts="2 3 0 M"
      className="absolute inset-0 cursor-crosshair [&>canvas]:size-full"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => (drag.current = null)}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
    />
  );
}
