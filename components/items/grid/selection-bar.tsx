"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";

interface SelectionBarProps {
  count: number;
  /** Everything that matches is chosen, by the filter. */
  all: boolean;
  total: number;
  onAll: () => void;
  onClear: () => void;
  /** What can be done with the chosen items. */
  children?: ReactNode;
}

/** What is chosen in a grid, and what can be done with it. */
export function SelectionBar({ count, all, total, onAll, onClear, children }: SelectionBarProps) {
  if (count === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label="Selection"
      className="flex shrink-0 flex-wrap items-center gap-2 border-t bg-raised px-4 py-2 text-table sm:px-6"
    >
      <span role="status" className="tabular-nums">
        {all
          ? `${count === total ? "All" : `${formatNumber(count, 0)} of`} ${formatNumber(total, 0)} that match`
          : `${plural(count, "item")} selected`}
      </span>
      {(!all || count < total) && (
        <Button size="sm" variant="ghost" onClick={onAll}>
          Select all {formatNumber(total, 0)}
        </Button>
      )}
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear selection
      </Button>
      <span className="flex flex-wrap items-center gap-2 sm:ml-auto">{children}</span>
    </div>
  );
}
