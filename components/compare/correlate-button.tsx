"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { findShift } from "@/engine/signals/correlation";
import { moveLine, type Line } from "@/engine/signals/line";

/** Seconds around the alignment in which a shift is looked for. */
const maxShift = 60;

interface CorrelateButtonProps {
  path: string;
  a: Line;
  /** In seconds of B. */
  b: Line;
  aligned: number;
  onShift: (shiftMs: number) => void;
}

/** Moves B to where its line fits that of A best, from what is visible, and says how well it fits. */
export function CorrelateButton({ path, a, b, aligned, onShift }: CorrelateButtonProps) {
  const [result, setResult] = useState<string | null>(null);
  const correlate = () => {
    const fit = findShift(a, moveLine(b, aligned), { maxShift });
    setResult(fit === null ? "These lines do not overlap enough, or one does not change." : describeFit(fit));
    if (fit !== null) onShift(fit.shiftMs);
  };
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span role="status" className="text-meta text-muted tabular-nums">
        {result}
      </span>
      <Button size="sm" aria-label={`Align by correlation of ${path}`} onClick={correlate}>
        Align by correlation
      </Button>
    </span>
  );
}

const describeFit = ({ shiftMs, r }: { shiftMs: number; r: number }): string =>
  `shifted by ${String(shiftMs).replace("-", "−")} ms, r = ${r.toFixed(3).replace("-", "−")}`;
