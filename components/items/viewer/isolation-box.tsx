"use client";

import { useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { formatNumber } from "@/components/kit/format";
import type { PixelBox } from "@/components/recording/scene/isolation";
import type { OpenScene } from "@/components/recording/scene/use-scene";

/** Pixels that a press may move before it is a drag. */
const dragReach = 4;
/** Pixels of one press of an arrow key. */
const keyStep = 16;
const minSize = 8;
/** The points are counted this long (milliseconds) after the box last changed. */
const quietMs = 120;

interface IsolationBoxProps {
  open: OpenScene;
  /** Points that are visible now. */
  visible: number;
  onTake: (box: PixelBox) => void;
  onLeave: () => void;
}

const limit = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

/** A rectangle over a cloud, drawn by a drag or moved and sized by keys, with how many points are inside it. */
export function IsolationBox({ open, visible, onTake, onLeave }: IsolationBoxProps) {
  const area = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ x: number; y: number; drags: boolean } | null>(null);
  const [box, setBox] = useState<PixelBox | null>(null);
  const [counted, setCounted] = useState<{ box: PixelBox; count: number } | null>(null);
  const hintId = useId();
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    element.focus();
    const { clientWidth: width, clientHeight: height } = element;
    setBox({ left: width / 4, top: height / 4, width: width / 2, height: height / 2 });
  }, []);
  useEffect(() => {
    if (!box) return;
    let isOver = false;
    const timer = setTimeout(() => {
      void open.thread.countInside(box).then((count) => !isOver && setCounted({ box, count }));
    }, quietMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [box, open]);

  const locate = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLDivElement>) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    return { x: limit(clientX - left, 0, width), y: limit(clientY - top, 0, height) };
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    anchor.current = { ...locate(event), drags: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = anchor.current;
    if (!from) return;
    const to = locate(event);
    if (!from.drags && Math.hypot(to.x - from.x, to.y - from.y) < dragReach) return;
    from.drags = true;
    setBox({
      left: Math.min(from.x, to.x),
      top: Math.min(from.y, to.y),
      width: Math.abs(to.x - from.x),
      height: Math.abs(to.y - from.y),
    });
  };
  const onPointerUp = () => {
    const isDrawn = anchor.current?.drags === true;
    anchor.current = null;
    if (isDrawn && box && box.width > 0 && box.height > 0) onTake(box);
  };
  const move = (across: number, down: number, sizes: boolean) => {
    const element = area.current;
    if (!box || !element) return;
    const { clientWidth, clientHeight } = element;
    if (sizes) {
      const width = limit(box.width + across, minSize, clientWidth - box.left);
      setBox({ ...box, width, height: limit(box.height + down, minSize, clientHeight - box.top) });
    } else {
      const left = limit(box.left + across, 0, clientWidth - box.width);
      setBox({ ...box, left, top: limit(box.top + down, 0, clientHeight - box.height) });
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-keyStep, 0],
      ArrowRight: [keyStep, 0],
      ArrowUp: [0, -keyStep],
      ArrowDown: [0, keyStep],
    };
    const way = ways[event.key];
    if (way) move(...way, event.shiftKey);
    else if (event.key === "Enter" && box) onTake(box);
    else if (event.key === "Escape") onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={area}
      role="application"
      tabIndex={0}
      aria-label="Box around the points to keep"
      aria-describedby={hintId}
      className="absolute inset-0 cursor-crosshair touch-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => (anchor.current = null)}
      onKeyDown={onKeyDown}
    >
      {box && (
        <div
          data-box
          className="pointer-events-none absolute border-2 border-accent bg-accent/10"
          style={{ left: box.left, top: box.top, width: box.width, height: box.height }}
        />
      )}
      <div className="pointer-events-none absolute top-2 left-2 max-w-80 rounded-panel border bg-background/90 px-2.5 py-1.5 text-meta text-muted">
        <p id={hintId}>
          Drag a box around the points to keep. Arrows move it, with Shift they size it; Enter takes it, Esc leaves.
        </p>
        <p role="status" className="mt-0.5 text-foreground tabular-nums">
          {counted !== null && counted.box === box
            ? `${formatNumber(counted.count, 0)} of ${formatNumber(visible, 0)} points inside`
            : ""}
        </p>
      </div>
    </div>
  );
}
