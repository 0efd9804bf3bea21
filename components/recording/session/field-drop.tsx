"use client";

import { useState, type DragEvent, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { toast } from "@/components/product/toast";
import { maxPlots } from "./query";
import { useTimeline } from "./timeline-context";
import { parsePath } from "./topic-path";

const format = "application/x-field-path";

/** Lets a field be dragged onto plots. */
export const dragField = (path: string) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    event.dataTransfer.setData(format, path);
    event.dataTransfer.setData("text/plain", path);
    event.dataTransfer.effectAllowed = "copy";
  },
});

/** Plots to which a field is added that is dragged onto them. The list of fields adds one by keyboard. */
export function FieldDrop({ children, className }: { children: ReactNode; className?: string }) {
  const { plots, setPlots, readOnly, recording } = useTimeline();
  const [isOver, setOver] = useState(false);
  const takes = (event: DragEvent) => !readOnly && event.dataTransfer.types.includes(format);
  const onDrop = (event: DragEvent) => {
    if (!takes(event)) return;
    event.preventDefault();
    setOver(false);
    const path = event.dataTransfer.getData(format);
    if (plots.includes(path)) return;
    if (parsePath(path, recording.topics) === null) toast.failure(`${path} has no values that can be plotted.`);
    else if (plots.length >= maxPlots) toast.failure(`At most ${maxPlots} plots can be open.`);
    else setPlots([...plots, path]);
  };
  return (
    <div
      className={cn("relative", className)}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        setOver(true);
      }}
      onDragLeave={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={onDrop}
    >
      {children}
      {isOver && (
        <div
          aria-hidden
          className="pointer-events-none absolute inset-0 z-30 flex items-center justify-center border-2 border-accent bg-accent/15"
        >
          <span className="rounded-control bg-raised px-2 py-0.5 text-meta font-medium">Plot it here</span>
        </div>
      )}
    </div>
  );
}
