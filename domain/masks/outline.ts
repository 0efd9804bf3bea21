import { cutColumn, isInMask, type MaskFigure } from "./mask-figure";

/** A line around pixels, along their edges. */
export interface MaskRing {
  points: [x: number, y: number][];
  /** Whether it is around pixels that are not in the mask. */
  isHole: boolean;
}

/** The corners of a mask, from left to right and down each column edge: two and two are the ends of an upright line. */
interface Corners {
  x: number[];
  y: number[];
  /** The corner at the other end of the level line that ends here. */
  across: number[];
}

/** Pairs corners that lie on one height, in their order. */
class LevelLines {
  private readonly open: Int32Array;
  constructor(
    height: number,
    private readonly corners: Corners,
  ) {
    this.open = new Int32Array(height + 1).fill(-1);
  }

  add(x: number, y: number): number {
    const { corners } = this;
    corners.y.push(y);
    corners.across.push(-1);
    return corners.x.push(x) - 1;
  }

  /** Ends the line that is open on the corner's height, or begins one. */
  join(corner: number): void {
    const y = this.corners.y[corner] ?? 0;
    const other = this.open[y] ?? -1;
    this.open[y] = other < 0 ? corner : -1;
    if (other < 0) return;
    this.corners.across[other] = corner;
    this.corners.across[corner] = other;
  }
}

function listCorners(figure: MaskFigure): Corners {
  const corners: Corners = { x: [], y: [], across: [] };
  const lines = new LevelLines(figure.height, corners);
  let before: number[] = [];
  for (let x = 0; x <= figure.width; x++) {
    const now = cutColumn(figure, figure.x + x);
    let [i, j] = [0, 0];
    while (i < before.length || j < now.length) {
      const [above, here] = [before[i] ?? Infinity, now[j] ?? Infinity];
      const y = Math.min(above, here) - figure.y;
      const [isBefore, isNow] = [above <= here, here <= above];
      if (isBefore) i += 1;
      if (isNow) j += 1;
      // A line that goes on level has no corner here.
      if (isBefore && isNow && i % 2 === j % 2) continue;
      const upper = lines.add(x, y);
      if (!isBefore || !isNow) {
        lines.join(upper);
        continue;
      }
      // Two pixels touch with a corner only: the lines around them touch, and do not cross.
      const lower = lines.add(x, y);
      const isLeftAbove = i % 2 === 0;
      lines.join(isLeftAbove ? upper : lower);
      lines.join(isLeftAbove ? lower : upper);
    }
    before = now;
  }
  return corners;
}

/** The lines of a mask, as if its box lay at the top left of the picture. */
function trace(figure: MaskFigure): MaskRing[] {
  const { x, y, across } = listCorners(figure);
  const isDone = new Uint8Array(x.length);
  const rings: MaskRing[] = [];
  const toPoint = (corner: number): [number, number] => [x[corner] ?? 0, y[corner] ?? 0];
  for (let first = 0; first < x.length; first += 2) {
    if (isDone[first] === 1) continue;
    const points: [number, number][] = [];
    let corner = first;
    do {
      const other = corner ^ 1;
      isDone[corner] = 1;
      isDone[other] = 1;
      points.push(toPoint(corner), toPoint(other));
      corner = across[other] ?? first;
    } while (corner !== first);
    const [left, top] = toPoint(first);
    // Its leftmost line: what is right of it is inside of the ring.
    rings.push({ points, isHole: !isInMask(figure, left + figure.x, top + figure.y) });
  }
  return rings;
}

/** By the ends of runs, which a mask keeps when it is moved. */
const traced = new WeakMap<MaskFigure["ends"], readonly MaskRing[]>();
const known = new WeakMap<MaskFigure, readonly MaskRing[]>();

/** The lines around the pixels of a mask and around its holes. None crosses another or itself. */
export function outlineMask(figure: MaskFigure): readonly MaskRing[] {
  const before = known.get(figure);
  if (before) return before;
  const atOrigin = traced.get(figure.ends) ?? trace(figure);
  traced.set(figure.ends, atOrigin);
  const rings = atOrigin.map(({ points, isHole }) => ({
    points: points.map(([x, y]): [number, number] => [x + figure.x, y + figure.y]),
    isHole,
  }));
  known.set(figure, rings);
  return rings;
}
