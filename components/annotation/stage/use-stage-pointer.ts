"use client";

import { useRef, type PointerEvent } from "react";
import type { Point } from "@/domain/annotations/geometry";
import type { EditorStore } from "../store/editor-store";

type Handlers = Record<
  "onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel",
  (event: PointerEvent<HTMLElement>) => void
>;

/** Pixels of a pointer's way from which it moves the picture rather than pressing it. */
const panFrom = 8;

interface Pan {
  last: Point;
  /** A press only if it does not move. */
  pressedAt: Point | null;
}

/** Where in the stage's box a pointer is. */
const toPlace = (event: PointerEvent<HTMLElement>): Point => {
  const box = event.currentTarget.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

/**
 * What pointers do on the stage: they press for the tool in hand; the middle button, Space and two fingers move and enlarge
 * the picture, and so does one finger where nothing would be selected, and any pointer where nothing can be changed.
 */
export function useStagePointer(store: EditorStore, isPanning: boolean, onHover: (at: Point | null) => void): Handlers {
  const pointers = useRef(new Map<number, Point>());
  const pan = useRef<Pan | null>(null);

  const held = ({ shiftKey, altKey, ctrlKey, metaKey }: PointerEvent<HTMLElement>) => ({
    shift: shiftKey,
    alt: altKey,
    ctrl: ctrlKey || metaKey,
  });

  function pinch(event: PointerEvent<HTMLElement>, to: Point): void {
    const from = pointers.current.get(event.pointerId);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (!from || !other) return;
    const before = Math.hypot(from[0] - other[0], from[1] - other[1]);
    const now = Math.hypot(to[0] - other[0], to[1] - other[1]);
    store.view.move((to[0] - from[0]) / 2, (to[1] - from[1]) / 2);
    if (before > 0 && now > 0) store.view.zoom(now / before, [(to[0] + other[0]) / 2, (to[1] + other[1]) / 2]);
  }

  return {
    onPointerDown: (event) => {
      if (event.button > 1) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.focus({ preventScroll: true });
      const at = toPlace(event);
      store.setCoarse(event.pointerType === "touch");
      store.setCursor(null);
      pointers.current.set(event.pointerId, at);
      if (pointers.current.size > 1) {
        pan.current = null;
        // The first finger's press was none: what it drew is taken back, not what was drawn before.
        return store.snapshot.drawn > 0 ? store.undo() : store.send({ type: "cancel" });
      }
      if (isPanning || event.button === 1) {
        pan.current = { last: at, pressedAt: null };
        return event.preventDefault();
      }
      const place = store.view.toPicture(at);
      // What nobody can change is moved by any drag.
      const isFree =
        store.snapshot.tool === "select" &&
        (!store.canEdit || (event.pointerType === "touch" && !store.touches(place)));
      if (isFree) pan.current = { last: at, pressedAt: at };
      else store.send({ type: "press", at: place, ...held(event) });
    },
    onPointerMove: (event) => {
      const at = toPlace(event);
      onHover(event.pointerType === "touch" ? null : at);
      if (pointers.current.size > 1) {
        pinch(event, at);
        pointers.current.set(event.pointerId, at);
        return;
      }
      const { current } = pan;
      if (!current) {
        store.setCursor(null);
        return store.send({ type: "move", at: store.view.toPicture(at), ...held(event) });
      }
      const { pressedAt, last } = current;
      if (pressedAt && Math.hypot(at[0] - pressedAt[0], at[1] - pressedAt[1]) < panFrom) return;
      pan.current = { last: at, pressedAt: null };
      store.view.move(at[0] - last[0], at[1] - last[1]);
    },
    onPointerUp: (event) => {
      const at = toPlace(event);
      const wasMany = pointers.current.size > 1;
      pointers.current.delete(event.pointerId);
      const { current } = pan;
      pan.current = null;
      if (wasMany) return;
      const place = store.view.toPicture(at);
      if (current?.pressedAt) store.send({ type: "press", at: place, ...held(event) });
      if (!current || current.pressedAt) store.send({ type: "release", at: place, ...held(event) });
    },
    onPointerCancel: (event) => {
      pointers.current.delete(event.pointerId);
      pan.current = null;
      store.send({ type: "cancel" });
    },
  };
}
