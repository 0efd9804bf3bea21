"use client";

import { useEffect, useRef } from "react";
import { useLatest } from "@/components/kit/latest";
import { formatValue } from "@/components/plots/series-columns";
import type { TimeAxis } from "@/components/plots/time-axis";
import { readLine, type Line } from "@/engine/signals/line";

/** The values of both lines below the pointer, else at the playhead, and how far B is above A. */
export function PairReadout(props: { axis: TimeAxis; a: Line; b: Line; unit: string | undefined }) {
  const { axis, a, b, unit } = props;
  const host = useRef<HTMLSpanElement>(null);
  const write = useLatest(() => {
    const at = axis.hover ?? axis.playhead;
    if (host.current) host.current.textContent = at === null ? "" : describeMoment(a, b, at, unit);
  });
  useEffect(() => axis.subscribe(write), [axis, write]);
  useEffect(write);
  return <span ref={host} className="truncate text-meta whitespace-pre tabular-nums" />;
}

/** "A 20 °C  B 22.5 °C  B − A 2.5 °C": what is known of two lines at a moment. */
export function describeMoment(a: Line, b: Line, at: number, unit: string | undefined): string {
  const [first, second] = [readLine(a, [at])[0] ?? NaN, readLine(b, [at])[0] ?? NaN];
  const text = (value: number) => (Number.isNaN(value) ? "no value" : `${formatValue(value)}${unit ? ` ${unit}` : ""}`);
  return [`A ${text(first)}`, `B ${text(second)}`, `B − A ${text(second - first)}`].join("   ");
}
