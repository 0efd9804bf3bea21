/** What the demo's mobile robots drive through: its cameras and its lidars see the same. */

/** The warehouse in metres: three racks along x with aisles between them, inside four walls. */
export const hall = { x: 15, y: 11, height: 5 } as const;
export const racks = { from: -10, to: 10, middles: [-6, 0, 6], half: 1, height: 3.6 } as const;
/** Pallets that stand at the edges of the aisles. */
const pallets: readonly (readonly [x: number, y: number])[] = [
  [-8, -1.5],
  [-3, -4.5],
  [1, -1.5],
  [5, -4.5],
  [8.5, -1.5],
  [13.4, -3.5],
  [13.4, 1],
  [7, 4.5],
  [3, 1.5],
  [-1, 4.5],
  [-5, 1.5],
  [-9, 4.5],
  [-13.4, 2],
  [-13.4, -2.5],
];
/** Boxes along the axes of the hall. */
export const palletSize = { half: 0.55, height: 1.15 } as const;

const isRack = (x: number, y: number): boolean =>
  x > racks.from && x < racks.to && racks.middles.some((middle) => Math.abs(y - middle) < racks.half);

/** Where a ray from the robot meets something: its distance, the place along the surface, and what it is. */
export interface Hit {
  distance: number;
  along: number;
  rack: boolean;
  /** Surfaces across x are a little darker. */
  side: boolean;
}

/** The nearest of the surfaces that a ray crosses; surfaces lie on whole metres. */
export function castRay(x: number, y: number, dx: number, dy: number): Hit {
  const step = (from: number, by: number) => (by > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1);
  let nextX = step(x, dx);
  let nextY = step(y, dy);
  for (;;) {
    const toX = dx === 0 ? Infinity : (nextX - x) / dx;
    const toY = dy === 0 ? Infinity : (nextY - y) / dy;
    const side = toX < toY;
    const distance = side ? toX : toY;
    const [atX, atY] = [x + dx * (distance + 1e-4), y + dy * (distance + 1e-4)];
    const beyond = Math.abs(atX) >= hall.x || Math.abs(atY) >= hall.y;
    if (beyond || isRack(atX, atY)) return { distance, along: side ? atY : atX, rack: !beyond, side };
    if (side) nextX += Math.sign(dx);
    else nextY += Math.sign(dy);
  }
}

/** Where a ray meets the side of a pallet. */
export interface PalletHit {
  pallet: number;
  /** In lengths of the ray's direction. */
  distance: number;
  /** The place across the side, 0 to 1. */
  across: number;
  side: boolean;
}

/** Where a ray enters a span of one axis, and where it leaves it. */
function crossSpan(from: number, by: number, low: number, high: number): readonly [enter: number, leave: number] {
  if (by === 0) return from > low && from < high ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const [a, b] = [(low - from) / by, (high - from) / by];
  return a < b ? [a, b] : [b, a];
}

/** The pallets that a ray meets, the farthest first. */
export function castPallets(x: number, y: number, dx: number, dy: number): PalletHit[] {
  const { half } = palletSize;
  const hits: PalletHit[] = [];
  for (const [pallet, [atX, atY]] of pallets.entries()) {
    const [enterX, leaveX] = crossSpan(x, dx, atX - half, atX + half);
    const [enterY, leaveY] = crossSpan(y, dy, atY - half, atY + half);
    const distance = Math.max(enterX, enterY);
    if (distance <= 0.05 || distance >= Math.min(leaveX, leaveY)) continue;
    const side = enterX > enterY;
    const offset = side ? y + dy * distance - atY : x + dx * distance - atX;
    hits.push({ pallet, distance, across: (offset + half) / (2 * half), side });
  }
  return hits.sort((a, b) => b.distance - a.distance);
}
