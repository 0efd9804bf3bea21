"use client";

import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

/** A part that is closed until it is wanted: the browser's own `details`, with the chevron of everything that opens. */
export function Disclosure(props: {
  label: ReactNode;
  children: ReactNode;
  /** Held elsewhere; without it the part opens and closes by itself. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
}) {
  const { label, children, open, onOpenChange, className } = props;
  return (
    <details
      className={cn("group/disclosure", className)}
      open={open}
      onToggle={(event) => onOpenChange?.(event.currentTarget.open)}
    >
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-control pr-1 text-table hover:text-foreground [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-subtle transition-transform group-open/disclosure:rotate-90"
        />
        {label}
      </summary>
      {children}
    </details>
  );
}
