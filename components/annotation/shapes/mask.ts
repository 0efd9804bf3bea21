import { toBounds, type Bounds } from "@/domain/annotations/geometry";
import { measureWithin, moveMask, readMask, toCoordinates } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";
import { decodeRuns, encodePixels } from "@/domain/masks/run-lengths";
import type { ShapeByType, ShapeKind } from "./shape-kind";

type MaskShape = ShapeByType<"mask">;

/** How opaque the pixels are: more than areas inside of lines, which a mask is none of. */
const tint = 0.35;

const listRings = ({ coordinates }: MaskShape) => {
  const figure = readMask(coordinates);
  return figure ? outlineMask(figure).map(({ points }) => points) : [];
};

const bound = ({ coordinates: { box } }: MaskShape): Bounds => {
  const [x, y, width, height] = box;
  return toBounds({ x, y, width, height });
};

/** The mask with every pixel of its new box as the one that lay there before. */
function resize(shape: MaskShape, to: Bounds): MaskShape {
  const figure = readMask(shape.coordinates);
  if (!figure) return shape;
  const { left, top } = { left: Math.round(to.left), top: Math.round(to.top) };
  const width = Math.max(1, Math.round(to.right) - left);
  const height = Math.max(1, Math.round(to.bottom) - top);
  const before = decodeRuns(figure.runs, figure.width, figure.height);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * figure.height) / height) * figure.width;
    for (let x = 0; x < width; x++)
      pixels[y * width + x] = before[row + Math.floor(((x + 0.5) * figure.width) / width)] ?? 0;
  }
  const [pictureHeight, pictureWidth] = shape.coordinates.size;
  const picture = { width: pictureWidth, height: pictureHeight };
  const box = { x: left, y: top, width, height };
  const runs = encodePixels(pixels, width, height);
  return { ...shape, coordinates: { ...shape.coordinates, ...toCoordinates(box, runs, picture) } };
}

/** Pixels of the picture. */
export const mask: ShapeKind<MaskShape> = {
  name: "Mask",
  bound,
  draw: (shape) => ({ outlines: listRings(shape).map((points) => ({ points, isClosed: true })), dots: [], tint }),
  hit({ coordinates }, [x, y], reach) {
    const figure = readMask(coordinates);
    if (!figure) return null;
    const around = measureWithin(figure, { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach });
    if (around === 0) return null;
    // Where something around is not in it, its border is near.
    return around < 4 * reach * reach - 1e-6 ? "line" : "inside";
  },
  measure: ({ coordinates }) => readMask(coordinates)?.area ?? 0,
  rings: listRings,
  describe({ coordinates }) {
    const [x, y, width, height] = coordinates.box;
    return `${readMask(coordinates)?.area ?? 0} pixels, ${width} by ${height} at ${x}, ${y}`;
  },
  handles: () => [],
  moveHandle: (shape) => shape,
  addPoint: () => null,
  removePoint: () => null,
  move: (shape, [dx, dy]) => ({
    ...shape,
    coordinates: moveMask(shape.coordinates, Math.round(dx), Math.round(dy)),
  }),
  resize,
};
