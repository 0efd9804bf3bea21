"use client";

import { Progress as Base } from "@base-ui/react/progress";
import { cn } from "./cn";

export interface ProgressProps {
  /** What is done, from 0 to 1; null while it is not known. */
  share: number | null;
  label: string;
  /** Shows label and percentage above the bar. */
  showLabel?: boolean;
  className?: string;
}

/** A progress bar. */
export function Progress({ share, label, showLabel = false, className }: ProgressProps) {
  return (
    <Base.Root value={share === null ? null : share * 100} aria-label={label} className={cn("block", className)}>
      {showLabel && (
        <span className="mb-1 flex justify-between text-meta text-muted">
          <span aria-hidden>{label}</span>
          <Base.Value className="tabular-nums" />
        </span>
      )}
      <Base.Track className="block h-1 overflow-hidden rounded-full bg-border">
        <Base.Indicator
          className={cn("block h-full rounded-full bg-accent", share === null && "w-1/4 animate-sweep")}
        />
      </Base.Track>
    </Base.Root>
  );
}
