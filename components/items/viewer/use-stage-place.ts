"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useRef, useState, type PointerEvent, type RefObject } from "react";
import { useLatest } from "@/components/kit/latest";
import {
  fitPlace,
  movePlace,
  toMatrix,
  toPicturePoint,
  zoomPlace,
  type PictureFrame,
  type PicturePlace,
} from "@/components/recording/picture/picture-place";

/** Pixels of a finger's way across a fitted picture that turn to the next item. */
const swipePixels = 60;

export interface StagePlace {
  frame: PictureFrame;
  place: PicturePlace;
  /** The style of the picture's element. */
  matrix: string;
  isFitted: boolean;
  /** The pixel of the picture at a place of the window. */
  toPixel: (event: { clientX: number; clientY: number }) => { x: number; y: number };
  fit: () => void;
  full: () => void;
  zoom: (factor: number) => void;
  handlers: Record<
    "onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel",
    (event: PointerEvent<HTMLElement>) => void
  >;
}

/** Where a picture lies on the stage: fitted, or as the address says. `onSwipe`: a finger went across a fitted picture. */
export function useStagePlace(
  stage: RefObject<HTMLElement | null>,
  picture: { width: number; height: number },
  onSwipe?: (forwards: boolean) => void,
): StagePlace {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [zoom, setZoom] = useQueryState("zoom", parseAsString.withOptions({ history: "replace", throttleMs: 300 }));
  const frame: PictureFrame = { panel: size, picture, rotation: 0, mirrored: false };
  const chosen = parseZoom(zoom);
  const place = chosen ?? fitPlace(frame);
  // Between two frames of the page several movements may come: each continues where the one before ended.
  const current = useRef(place);
  useEffect(() => {
    current.current = place;
  });
  const set = (next: PicturePlace) => {
    current.current = next;
    void setZoom(formatZoom(next));
  };
  const zoomAt = (at: { x: number; y: number }, factor: number) => set(zoomPlace(frame, current.current, at, factor));
  const onWheel = useLatest((event: WheelEvent, box: DOMRect) =>
    zoomAt({ x: event.clientX - box.left, y: event.clientY - box.top }, Math.exp(-event.deltaY / 300)),
  );
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      onWheel(event, element.getBoundingClientRect());
    };
    // React's own listener is passive and cannot prevent scrolling.
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, [stage, onWheel]);

  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const swipe = useRef<{ x: number; y: number } | null>(null);
  const middle = { x: size.width / 2, y: size.height / 2 };
  const end = (event: PointerEvent<HTMLElement>) => {
    const from = swipe.current;
    swipe.current = null;
    pointers.current.delete(event.pointerId);
    if (!from || event.type !== "pointerup") return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) > swipePixels && Math.abs(dx) > 2 * Math.abs(dy)) onSwipe?.(dx < 0);
  };
  return {
    frame,
    place,
    matrix: toMatrix(frame, place),
    isFitted: chosen === null,
    toPixel: ({ clientX, clientY }) => {
      const box = stage.current?.getBoundingClientRect();
      const at = toPicturePoint(frame, place, { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) });
      return { x: Math.floor(at.x), y: Math.floor(at.y) };
    },
    fit: () => void setZoom(null),
    full: () => zoomAt(middle, 1 / current.current.scale),
    zoom: (factor) => zoomAt(middle, factor),
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const isOne = pointers.current.size === 1;
        swipe.current =
          isOne && chosen === null && event.pointerType === "touch" ? { x: event.clientX, y: event.clientY } : null;
      },
      onPointerMove: (event) => {
        const from = pointers.current.get(event.pointerId);
        if (!from) return;
        const to = { x: event.clientX, y: event.clientY };
        const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
        pointers.current.set(event.pointerId, to);
        if (other) {
          const box = event.currentTarget.getBoundingClientRect();
          const before = Math.hypot(from.x - other.x, from.y - other.y);
          const now = Math.hypot(to.x - other.x, to.y - other.y);
          const at = { x: (to.x + other.x) / 2 - box.left, y: (to.y + other.y) / 2 - box.top };
          if (before > 0 && now > 0) zoomAt(at, now / before);
        } else if (swipe.current === null) set(movePlace(frame, current.current, to.x - from.x, to.y - from.y));
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  };
}

/** A place as addresses have it: `x,y,scale`, in pixels of the picture and pixels of the screen for each. Null for none. */
export function parseZoom(text: string | null): PicturePlace | null {
  const [x, y, scale, ...rest] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || scale === undefined || rest.length > 0) return null;
  if (![x, y, scale].every(Number.isFinite) || scale <= 0) return null;
  return { x, y, scale: Math.min(64, scale) };
}

const short = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

export const formatZoom = ({ x, y, scale }: PicturePlace): string =>
  [short(x, 1), short(y, 1), short(scale, 4)].join(",");
