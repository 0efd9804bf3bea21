type Point = [x: number, y: number];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Degrees clockwise about the center, as seen on the picture; 0 if absent. */
  rotation?: number | undefined;
}

/** A place turned around another one, by degrees clockwise. */
export function turnPoint(
  [x, y]: readonly [x: number, y: number],
  [centerX, centerY]: readonly [x: number, y: number],
  degrees: number,
): Point {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [right, down] = [x - centerX, y - centerY];
  return [centerX + right * cos - down * sin, centerY + right * sin + down * cos];
}

/** The steps of an angle that hands can hold without looking. */
const angleStep = 15;

/** An angle as boxes have it: from 0, below 360; with `isSnapping` the nearest step of 15. */
export function toRotation(degrees: number, isSnapping = false): number {
  const held = isSnapping ? Math.round(degrees / angleStep) * angleStep : degrees;
  return ((held % 360) + 360) % 360;
}

/** The next angle by one degree, or by a step of 15. */
export const stepRotation = (degrees: number, by: 1 | -1, isSnapping: boolean): number =>
  toRotation(
    isSnapping
      ? (by > 0 ? Math.floor(degrees / angleStep) + 1 : Math.ceil(degrees / angleStep) - 1) * angleStep
      : degrees + by,
  );

/** The corners of a box in pixels, clockwise from the top left one of the box before it was turned. */
export function listCorners({ x, y, width, height, rotation = 0 }: Box): [Point, Point, Point, Point] {
  const corners: [Point, Point, Point, Point] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
  if (rotation === 0) return corners;
  const turn = (corner: Point): Point => turnPoint(corner, [x + width / 2, y + height / 2], rotation);
  const [topLeft, topRight, bottomRight, bottomLeft] = corners;
  return [turn(topLeft), turn(topRight), turn(bottomRight), turn(bottomLeft)];
}
