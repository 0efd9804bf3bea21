/** A part of the picture, seen from where the camera stood: what it held is what stays visible. */
export interface SeenBox {
  /** From the scene to the picture, whose edges are at −1 and 1 with y up; by columns. */
  toPicture: readonly number[];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A rectangle in pixels of the page. */
export interface PixelBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The edges of a rectangle of the picture, for `SeenBox`. */
export function toEdges(box: PixelBox, width: number, height: number): Omit<SeenBox, "toPicture"> {
  return {
    left: (box.left / width) * 2 - 1,
    right: ((box.left + box.width) / width) * 2 - 1,
    top: 1 - (box.top / height) * 2,
    bottom: 1 - ((box.top + box.height) / height) * 2,
  };
}

/** The product of two matrices of four rows, both by columns. */
function multiply(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: 16 }, (_, at) => {
    const [row, column] = [at % 4, at - (at % 4)];
    let sum = 0;
    for (let each = 0; each < 4; each++) sum += (a[each * 4 + row] ?? 0) * (b[column + each] ?? 0);
    return sum;
  });
}

/** Where the points of a cloud are, by number. */
interface Places {
  count: number;
  x: (point: number) => number;
  y: (point: number) => number;
  z: (point: number) => number;
}

/**
 * The points that are inside all boxes, by number and in their order. `place`: from the points to the scene, by columns.
 * Points behind the camera or with no place are in none.
 */
export function listInside(
  { count, x, y, z }: Places,
  place: readonly number[],
  boxes: readonly SeenBox[],
): Uint32Array {
  let kept: Uint32Array | null = null;
  for (const box of boxes) {
    const m = multiply(box.toPicture, place);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0] = m;
    const [dx = 0, dy = 0, dz = 0, dw = 0] = m.slice(12);
    const candidates: number = kept?.length ?? count;
    const found = new Uint32Array(candidates);
    let length = 0;
    for (let at = 0; at < candidates; at++) {
      const point: number = kept === null ? at : kept[at]!;
      const [px, py, pz] = [x(point), y(point), z(point)];
      const w = d * px + h * py + l * pz + dw;
      if (!(w > 0)) continue;
      const [across, up, deep] = [
        a * px + e * py + i * pz + dx,
        b * px + f * py + j * pz + dy,
        c * px + g * py + k * pz + dz,
      ];
      if (across < box.left * w || across > box.right * w || up > box.top * w || up < box.bottom * w) continue;
      if (deep >= -w && deep <= w) found[length++] = point;
    }
    kept = found.slice(0, length);
  }
  return kept ?? Uint32Array.from({ length: count }, (_, point) => point);
}
