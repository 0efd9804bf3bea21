type Point = [x: number, y: number];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Degrees clockwise about the center, as seen on the picture; 0 if absent. */
  rotation?: number | undefined;
}

/** The corners of a box in pixels, clockwise from the top left one of the box before it was turned. */
export function listCorners({ x, y, width, height, rotation = 0 }: Box): [Point, Point, Point, Point] {
  const corners: [Point, Point, Point, Point] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
  if (rotation === 0) return corners;
  const angle = (rotation * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [centerX, centerY] = [x + width / 2, y + height / 2];
  const turn = ([cornerX, cornerY]: Point): Point => {
    const [right, down] = [cornerX - centerX, cornerY - centerY];
    return [centerX + right * cos - down * sin, centerY + right * sin + down * cos];
  };
  const [topLeft, topRight, bottomRight, bottomLeft] = corners;
  return [turn(topLeft), turn(topRight), turn(bottomRight), turn(bottomLeft)];
}
