import type { Columns } from "@/components/plots/series-columns";
import type { Outputs } from "@/components/trpc/client";
import type { MetricKind } from "@/domain/health/meanings";

export type Series = Outputs["health"]["series"]["names"][number];

/** A span of time, in milliseconds. */
interface Window {
  from: number;
  to: number;
}

/** Points of a series; heartbeats come every half a minute. */
export const pointsDrawn = 300;
const resolutionMs = { raw: 30_000, "5m": 300_000, "1h": 3_600_000 } as const;

/** The length of a step of a series (ms): of what was put together into a point. */
export const stepMs = ({ from, to }: Window, resolution: Series["resolution"]): number =>
  Math.max((to - from) / pointsDrawn, resolutionMs[resolution]);

/** Fractions are drawn as per cent. */
export const toScale = (kind: MetricKind): number => (kind === "fraction" ? 100 : 1);

/** Points as a plot takes them, in seconds of its axis; the line breaks where nothing came for three steps. */
export function toColumns({ points = [], kind, resolution }: Series, window: Window): Columns {
  const scale = toScale(kind);
  const gap = (3 * stepMs(window, resolution)) / 1_000;
  const columns: Columns = [[], [], [], []];
  for (const [at, min, mean, max] of points) {
    const seconds = (Date.parse(at) - window.from) / 1_000;
    const before = columns[0].at(-1);
    if (before !== undefined && seconds - before > gap) {
      columns[0].push((seconds + before) / 2);
      for (const each of [columns[1], columns[2], columns[3]]) each.push(null);
    }
    columns[0].push(seconds);
    columns[1].push(min * scale);
    columns[2].push(max * scale);
    columns[3].push(mean * scale);
  }
  return columns;
}
