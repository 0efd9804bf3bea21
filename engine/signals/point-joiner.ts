import type { SeriesPoint } from "@/engine/signals/series";

/**
 * Points of samples in the order of time: one per sample while there are at most two per requested point, else samples
 * joined into `points` intervals of equal length.
 */
export class PointJoiner {
  private points: SeriesPoint[] = [];
  private joined = false;
  private readonly width: bigint;

  constructor(private readonly window: { from: bigint; to: bigint; points: number }) {
    this.width = (window.to - window.from) / BigInt(window.points) + 1n;
  }

  add(time: bigint, value: number): void {
    if (!this.joined && this.points.length === 2 * this.window.points) {
      this.joined = true;
      const single = this.points;
      this.points = [];
      for (const point of single) this.put(point);
    }
    this.put([time, value, value, value, value, 1]);
  }

  finish(): SeriesPoint[] {
    return this.points;
  }

  private put(point: SeriesPoint): void {
    const { points, window, width } = this;
    const last = points.at(-1);
    if (!this.joined || !last || (last[0] - window.from) / width !== (point[0] - window.from) / width) {
      points.push([...point]);
      return;
    }
    last[1] = Math.min(last[1], point[1]);
    last[2] = Math.max(last[2], point[2]);
    last[4] = point[4];
    last[5] += point[5];
  }
}
