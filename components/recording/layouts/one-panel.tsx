"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState, type TouchEvent } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { Select } from "@/components/kit/select";
import { listPanels } from "@/domain/layouts/tree";
import { useLayoutEditing } from "./layout-editing";
import { PanelFrame } from "./panel-frame";
import { getTitle } from "./panel-types";

/** Pixels of a swipe that lead to the next panel. */
const minSwipe = 60;

/** The panels of a layout one at a time, on phones. */
export function OnePanel() {
  const { layout } = useLayoutEditing();
  const order = listPanels(layout.root);
  const [chosen, setChosen] = useState<string | null>(null);
  const [start, setStart] = useState<{ x: number; y: number } | null>(null);
  const at = Math.max(0, order.indexOf(chosen ?? ""));
  const id = order[at];
  if (id === undefined) return null;
  const go = (step: number) => setChosen(order[(at + step + order.length) % order.length] ?? null);
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const touch = changedTouches.item(0);
    if (!start) return;
    const [dx, dy] = [touch.clientX - start.x, touch.clientY - start.y];
    if (Math.abs(dx) > minSwipe && Math.abs(dx) > 2 * Math.abs(dy)) go(dx < 0 ? 1 : -1);
    setStart(null);
  };
  return (
    <div className="flex size-full flex-col gap-1">
      {order.length > 1 && (
        <div className="flex items-center gap-1">
          <IconButton label="Previous panel" icon={<ChevronLeft aria-hidden />} onClick={() => go(-1)} />
          <Select
            aria-label="Panel shown"
            className="min-w-0 flex-1"
            value={id}
            onValueChange={setChosen}
            options={order.map((name, index) => {
              const panel = layout.panels[name];
              return { value: name, label: `${index + 1} of ${order.length}: ${panel ? getTitle(panel) : name}` };
            })}
          />
          <IconButton label="Next panel" icon={<ChevronRight aria-hidden />} onClick={() => go(1)} />
        </div>
      )}
      <div
        className="min-h-0 flex-1"
        onTouchStart={({ touches }) => {
          const touch = touches.item(0);
          setStart({ x: touch.clientX, y: touch.clientY });
        }}
        onTouchEnd={onTouchEnd}
      >
        <PanelFrame key={id} id={id} number={at + 1} />
      </div>
    </div>
  );
}
