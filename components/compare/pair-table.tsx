"use client";

import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "@/components/plots/axis-labels";
import { formatValue } from "@/components/plots/series-columns";
import type { TimeAxis } from "@/components/plots/time-axis";
import { ValueTable } from "@/components/plots/value-table";
import { readLine, type Line } from "@/engine/signals/line";

const maxRows = 200;

/** Two lines and their difference as a table of what is visible, at times of A. */
export function PairTable(props: { axis: TimeAxis; a: Line; b: Line; unit: string | undefined; caption: string }) {
  const { axis, a, b, unit, caption } = props;
  const { zone } = useTimeZone();
  const { from, to } = axis.span;
  const inView = Array.from(a.times).filter((time, at) => a.values[at] !== null && time >= from && time <= to);
  const step = Math.max(1, Math.ceil(inView.length / maxRows));
  const times = inView.filter((_, at) => at % step === 0);
  const [first, second] = [readLine(a, times), readLine(b, times)];
  const text = (value: number) => (Number.isNaN(value) ? "–" : formatValue(value));
  const heads = ["Time of A", "A", "B", "B − A"].map((head, at) => (at > 0 && unit ? `${head}, ${unit}` : head));
  const rows = times.map((time, at) => {
    const [one, other] = [first[at] ?? NaN, second[at] ?? NaN];
    return [exactLabel(axis, time, zone), text(one), text(other), text(other - one)];
  });
  return <ValueTable caption={caption} heads={heads} rows={rows} />;
}
