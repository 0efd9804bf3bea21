"use client";

import { useRef, useState, type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { cn } from "./cn";
import { useMediaQuery } from "./media-query";
import { usePreference } from "./preferences-provider";

/** Whether the window is wide enough for a pane beside a list; false on the server and in the first frame. */
export const useSplit = (): boolean => useMediaQuery("(min-width: 1100px)");

const limits = { min: 30, max: 70, step: 2 };
const clamp = (percent: number): number => Math.min(limits.max, Math.max(limits.min, Math.round(percent)));

interface SplitViewProps {
  /** Names the width in the preferences: "alerts". */
  id: string;
  /** Share of the list in percent until the person changes it. */
  initial: number;
  list: ReactNode;
  /** Beside the list, from 1,100 px on; without it the list has the whole width. */
  pane: ReactNode;
  /** Names the line between them: "Width of the list". */
  label: string;
}

/**
 * A list with a pane at its right. The line between them is moved by pointer or by the arrow keys, back by a double
 * click or Enter; where it is, is retained. The stylesheet decides whether there is a pane, so that nothing moves after
 * the first frame.
 */
export function SplitView({ id, initial, list, pane, label }: SplitViewProps) {
  const [stored, store] = usePreference(`split.${id}`);
  const [dragged, setDragged] = useState<number | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const percent = dragged ?? clamp(Number(stored) || initial);
  const set = (next: number) => store(String(clamp(next)));

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged(percent);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const box = frame.current?.getBoundingClientRect();
    if (dragged !== null && box) setDragged(clamp(((event.clientX - box.left) / box.width) * 100));
  };
  const onPointerUp = () => {
    if (dragged !== null) set(dragged);
    setDragged(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: percent - limits.step,
      ArrowRight: percent + limits.step,
      Home: limits.min,
      End: limits.max,
      Enter: initial,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(next);
  };

  const style: CSSProperties & Record<"--list", string> = { "--list": `${percent}%` };
  return (
    <div ref={frame} style={style} className={cn("flex min-h-0 min-w-0 flex-1", dragged !== null && "select-none")}>
      <div className={cn("flex min-h-0 min-w-0 flex-1 flex-col", pane !== null && "split:flex-none split:w-(--list)")}>
        {list}
      </div>
      {pane !== null && (
        <>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label={label}
            aria-valuenow={percent}
            aria-valuemin={limits.min}
            aria-valuemax={limits.max}
            tabIndex={0}
            className={cn(
              "relative z-20 hidden w-px shrink-0 cursor-col-resize touch-none bg-border split:block",
              // The line is a hairline; what takes the pointer is wide enough to be hit.
              "before:absolute before:inset-y-0 before:-left-1.5 before:w-3 before:content-[''] hover:bg-accent",
              dragged !== null && "bg-accent",
            )}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setDragged(null)}
            onDoubleClick={() => set(initial)}
            onKeyDown={onKeyDown}
          />
          <div className="hidden min-h-0 min-w-0 flex-1 flex-col split:flex">{pane}</div>
        </>
      )}
    </div>
  );
}
