"use client";

import { useEffect, useRef, useState, type MouseEvent, type PointerEvent, type RefObject } from "react";
import { useLatest } from "@/components/kit/latest";
import type { Lasso } from "./lasso-cells";

/** Pixels that a press moves before it is a lasso. */
const threshold = 6;
/** Pixels from an edge within which the grid scrolls, and how many it scrolls at most from one picture to the next. */
const edge = { pixels: 36, step: 24 } as const;

interface Point {
  x: number;
  y: number;
}

const between = (a: Point, b: Point): Lasso => ({
  left: Math.min(a.x, b.x),
  right: Math.max(a.x, b.x),
  top: Math.min(a.y, b.y),
  bottom: Math.max(a.y, b.y),
});

/** How far the grid scrolls with the pointer at a height of it. */
function scrollStep(y: number, height: number): number {
  const beyond = y < edge.pixels ? y - edge.pixels : y > height - edge.pixels ? y - height + edge.pixels : 0;
  return Math.max(-edge.step, Math.min(edge.step, beyond / 2));
}

/**
 * A frame that a mouse draws over a scroller, which follows it at its edges. `onChosen` is called with what it spans at its
 * end; `keep` when what was chosen before stays chosen. Escape ends it without that.
 */
export function useLasso(scroller: RefObject<HTMLElement | null>, onChosen: (lasso: Lasso, keep: boolean) => void) {
  const [lasso, setLasso] = useState<Lasso | null>(null);
  /** Where the press began, in the content, and where the pointer is, in the window. */
  const press = useRef<{ start: Point; at: Point; keep: boolean; pointer: number; isLasso: boolean } | null>(null);
  const wasLasso = useRef(false);
  const toContent = ({ x, y }: Point): Point => {
    const element = scroller.current;
    const box = element?.getBoundingClientRect();
    return { x: x - (box?.left ?? 0), y: y - (box?.top ?? 0) + (element?.scrollTop ?? 0) };
  };
  const read = () => (press.current ? between(press.current.start, toContent(press.current.at)) : null);
  const end = useLatest((isChosen: boolean) => {
    const ended = press.current;
    const spanned = read();
    press.current = null;
    setLasso(null);
    if (!ended?.isLasso) return;
    scroller.current?.releasePointerCapture(ended.pointer);
    if (isChosen && spanned) onChosen(spanned, ended.keep);
  });
  const follow = useLatest(() => {
    const element = scroller.current;
    if (!element || !press.current?.isLasso) return;
    const step = scrollStep(press.current.at.y - element.getBoundingClientRect().top, element.clientHeight);
    if (step === 0) return;
    element.scrollBy({ top: step });
    setLasso(read());
  });
  const isActive = lasso !== null;
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      end(false);
    };
    let frame = requestAnimationFrame(function next() {
      follow();
      frame = requestAnimationFrame(next);
    });
    addEventListener("keydown", onKeyDown, true);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("keydown", onKeyDown, true);
    };
  }, [isActive, end, follow]);
  return {
    lasso,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        const { pointerType, button, clientX: x, clientY: y, pointerId } = event;
        wasLasso.current = false;
        const element = scroller.current;
        // The scrollbar is beside the content.
        const isContent = element !== null && x - element.getBoundingClientRect().left < element.clientWidth;
        const isControl = event.target instanceof Element && event.target.closest("label, input, button") !== null;
        if (pointerType === "touch" || button !== 0 || !isContent || isControl) return;
        const keep = event.shiftKey || event.ctrlKey || event.metaKey;
        press.current = { start: toContent({ x, y }), at: { x, y }, keep, pointer: pointerId, isLasso: false };
      },
      onPointerMove: ({ clientX: x, clientY: y, pointerId, buttons }: PointerEvent) => {
        const pressed = press.current;
        if (!pressed || pressed.pointer !== pointerId) return;
        if ((buttons & 1) === 0) return end(false);
        pressed.at = { x, y };
        const spanned = read();
        if (!spanned) return;
        if (!pressed.isLasso) {
          if (Math.max(spanned.right - spanned.left, spanned.bottom - spanned.top) < threshold) return;
          pressed.isLasso = true;
          wasLasso.current = true;
          scroller.current?.setPointerCapture(pointerId);
        }
        setLasso(spanned);
      },
      onPointerUp: () => end(true),
      onPointerCancel: () => end(false),
      /** The press that ends a lasso opens nothing. */
      onClickCapture: (event: MouseEvent) => {
        if (!wasLasso.current) return;
        wasLasso.current = false;
        event.stopPropagation();
        event.preventDefault();
      },
    },
  };
}
