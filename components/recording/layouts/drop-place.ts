import type { DockSide } from "@/domain/layouts/docking";

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a panel would go. */
export interface Drop {
  /** The panel beside which; null for all. */
  target: string | null;
  side: DockSide;
  /** What it would cover, in pixels of the area. */
  box: Box;
}

/** The part of a panel at its sides that means beside it; the rest means its place. */
const edge = 0.25;
/** Pixels at the sides of the area that mean beside all. */
const outer = 14;

/** The side of a box that a point is nearest to, and how far it is from it, each axis measured by its unit. */
function findSide(
  box: Box,
  x: number,
  y: number,
  unit: { x: number; y: number },
): { side: DockSide; distance: number } {
  const distances: [DockSide, number][] = [
    ["left", (x - box.left) / unit.x],
    ["right", (box.left + box.width - x) / unit.x],
    ["up", (y - box.top) / unit.y],
    ["down", (box.top + box.height - y) / unit.y],
  ];
  const [side, distance] = distances.reduce((nearest, each) => (each[1] < nearest[1] ? each : nearest));
  return { side, distance };
}

/** The part of a box that a panel gets at a side. */
export function cover({ left, top, width, height }: Box, side: DockSide, share = 0.5): Box {
  if (side === "left") return { left, top, width: width * share, height };
  if (side === "right") return { left: left + width * (1 - share), top, width: width * share, height };
  if (side === "up") return { left, top, width, height: height * share };
  if (side === "down") return { left, top: top + height * (1 - share), width, height: height * share };
  return { left, top, width, height };
}

/** The side of a panel that a point means: one of its edges, or its place. */
export function chooseSide(box: Box, x: number, y: number): DockSide {
  const { side, distance } = findSide(box, x, y, { x: box.width, y: box.height });
  return distance <= edge ? side : "inside";
}

/** Where a panel would go if it were let go at a point of the page; null where nothing would change. */
export function findDrop(area: HTMLElement, id: string, x: number, y: number): Drop | null {
  const all = area.getBoundingClientRect();
  if (x < all.left || x > all.right || y < all.top || y > all.bottom) return null;
  const toArea = (box: Box): Box => ({ ...box, left: box.left - all.left, top: box.top - all.top });
  const whole = { left: all.left, top: all.top, width: all.width, height: all.height };
  const { side: outerSide, distance } = findSide(whole, x, y, { x: 1, y: 1 });
  if (distance <= outer) return { target: null, side: outerSide, box: toArea(cover(whole, outerSide, 0.3)) };
  const frames = [...area.querySelectorAll("[data-panel-of]")].filter((frame) => frame instanceof HTMLElement);
  for (const frame of frames) {
    const { left, top, right, bottom, width, height } = frame.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) continue;
    const target = frame.dataset["panelOf"] ?? "";
    const side = chooseSide({ left, top, width, height }, x, y);
    // In its own place it lies already; beside that it can go only out of tabs.
    const isOwn = target === id && (side === "inside" || frame.dataset["stacked"] === undefined);
    return isOwn ? null : { target, side, box: toArea(cover({ left, top, width, height }, side)) };
  }
  return null;
}
