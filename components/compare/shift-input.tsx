"use client";

import { useState, useSyncExternalStore } from "react";
import { Input } from "@/components/kit/input";
import type { LinkedAxes } from "./linked-axes";

/** The shift of B in milliseconds, typed; it follows when B is dragged. */
export function ShiftInput(props: { axes: LinkedAxes; aligned: number; onShift: (shiftMs: number) => void }) {
  const { axes, aligned, onShift } = props;
  const offset = useSyncExternalStore(
    axes.subscribe,
    () => axes.offset,
    () => axes.offset,
  );
  const shown = String(Math.round((offset - aligned) * 1_000));
  const [text, setText] = useState<string | null>(null);
  const commit = () => {
    const value = Number((text ?? shown).replace("−", "-").replace(",", "."));
    if (text !== null && text.trim() !== "" && Number.isFinite(value)) onShift(Math.round(value));
    setText(null);
  };
  return (
    <Input
      aria-label="Shift of B in milliseconds, typed"
      inputMode="numeric"
      className="w-32"
      value={text ?? shown}
      onValueChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setText(null);
      }}
      after={<span className="text-meta">ms</span>}
    />
  );
}
