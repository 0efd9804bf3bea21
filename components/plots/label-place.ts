import type { Columns } from "./series-columns";

/** Positions tried along the line, from the right end, where the eye looks for a label. */
const places = 12;

/**
 * The left edge for a label beside a horizontal line, where the curve does not run through it: the rightmost free
 * place, else the one that the curve touches least. All lengths in pixels of the canvas.
 */
export function findFreePlace(
  box: { width: number; top: number; height: number },
  plot: { left: number; width: number },
  [times, low, high]: Columns,
  toPixel: { x: (at: number) => number; y: (value: number) => number },
): number {
  const room = plot.width - box.width * 1.5;
  const points = Array.from(times, (at, index) => ({
    x: toPixel.x(at),
    top: toPixel.y(high[index] ?? Number.NaN),
    bottom: toPixel.y(low[index] ?? Number.NaN),
  }));
  let best = { left: plot.left + room, touched: Number.POSITIVE_INFINITY };
  for (let place = places; place >= 0 && best.touched > 0; place--) {
    const left = plot.left + (room * place) / places;
    const touched = countTouching(points, {
      left,
      right: left + box.width * 1.5,
      top: box.top,
      bottom: box.top + box.height,
    });
    if (touched < best.touched) best = { left, touched };
  }
  return best.left;
}

/** How many pieces of the curve, from one point to the next, run through a rectangle. */
function countTouching(
  points: readonly { x: number; top: number; bottom: number }[],
  area: { left: number; right: number; top: number; bottom: number },
): number {
  let count = 0;
  for (let at = 0; at < points.length; at++) {
    const point = points[at]!;
    const next = points[at + 1] ?? point;
    if (next.x < area.left || point.x > area.right) continue;
    // A piece spans what its two ends do.
    const top = Math.min(point.top, next.top);
    const bottom = Math.max(point.bottom, next.bottom);
    if (bottom >= area.top && top <= area.bottom) count++;
  }
  return count;
}
