"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { cn } from "./cn";
import { popupStyles } from "./control-styles";

export interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>;
  /** Names the popover for screen readers; shown when `showTitle`. */
  title: string;
  showTitle?: boolean;
  children: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "top" | "right" | "bottom" | "left";
  align?: "start" | "center" | "end";
  className?: string;
}

/** A small floating panel behind a button, for settings and details that need no dialog. */
export function Popover(props: PopoverProps) {
  const { trigger, title, showTitle = false, children, open, onOpenChange, side = "bottom", align = "end" } = props;
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup
            className={cn(
              popupStyles,
              "max-h-(--available-height) w-64 max-w-[calc(100vw-1rem)] overflow-y-auto p-3",
              props.className,
            )}
          >
            <Base.Title className={showTitle ? "mb-2 text-table font-semibold" : "sr-only"}>{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
