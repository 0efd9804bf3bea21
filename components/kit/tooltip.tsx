"use client";

import { Tooltip as Base } from "@base-ui/react/tooltip";
import { useState, type ReactElement, type ReactNode } from "react";
import { KeyHint } from "./kbd";

export interface TooltipProps {
  content: ReactNode;
  /** A shortcut to show after the text, such as `g d`. */
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  /** A tap shows it too, because touch screens have no hover: for controls on which a tap does nothing else. */
  tap?: boolean;
  /** The element the tooltip belongs to; it must pass on props and ref to a focusable DOM element. */
  children: ReactElement<Record<string, unknown>>;
}

/** A short explanation on hover and keyboard focus. Never the only place of something a person needs. */
export function Tooltip({ content, keys, side = "top", tap = false, children }: TooltipProps) {
  const [open, setOpen] = useState(false);
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger
        render={children}
        closeOnClick={!tap}
        onPointerUp={({ pointerType }) => {
          if (tap && pointerType !== "mouse") setOpen(true);
        }}
      />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className="z-60">
          <Base.Popup className="flex max-w-80 items-center gap-2 rounded-control bg-foreground px-2 py-1 text-meta break-words text-surface shadow-float transition-opacity data-ending-style:opacity-0 data-instant:transition-none data-starting-style:opacity-0">
            {content}
            {keys && <KeyHint keys={keys} inverted />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Groups tooltips: after the first was shown, its neighbours appear without delay. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider delay={400} closeDelay={0} timeout={300}>
      {children}
    </Base.Provider>
  );
}
