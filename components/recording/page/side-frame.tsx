"use client";

import type { CSSProperties, ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { PanelEdge, usePanelWidth } from "@/components/kit/panel-edge";
import type { ViewParts } from "./view-parts";

/** Pixels that it may take. */
const widths = { min: 300, max: 720, initial: 408 };

/** What is open beside panels at the right: as wide as somebody dragged it, below them on small screens. */
export function SideFrame(props: {
  label: string;
  /** Where its width is kept: "recording.side.width". */
  preference: string;
  side: ViewParts["side"];
  className?: string;
  children: ReactNode;
}) {
  const { label, preference, side, className, children } = props;
  const panel = usePanelWidth(preference, widths);
  const style: CSSProperties & Record<"--width", string> = { "--width": `${panel.width}px` };
  // Where nobody chose, the stylesheet decides, so that nothing moves once the page knows its width.
  const hidden = { open: "", closed: "lg:hidden", none: "lg:hidden min-[100rem]:flex" }[side.choice ?? "none"];
  const edge = { open: "", closed: "lg:hidden", none: "lg:hidden min-[100rem]:block" }[side.choice ?? "none"];
  return (
    <>
      <PanelEdge {...panel} className={cn("max-lg:hidden", edge)} />
      <aside
        aria-label={label}
        style={style}
        className={cn("flex min-h-0 shrink-0 flex-col max-lg:border-t lg:w-(--width)", className, hidden)}
      >
        {side.isShown && children}
      </aside>
    </>
  );
}
