import type { PictureSize } from "@/domain/annotations/picture-bounds";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { cropRuns, decodeRuns, encodePixels, parseRuns } from "@/domain/masks/run-lengths";
import type { Annotation } from "@/domain/tasks/schema";

/** Pixels of the box of a mask that is scaled, before and after. */
const maxMaskPixels = 2 ** 26;

type Mask = Extract<Annotation, { type: "mask" }>;

/** The mask with the nearest pixel of the old one for each of the new; null where none is left, or it is too large. */
function scaleMask(mask: Mask, from: PictureSize, to: PictureSize): Mask | null {
  const [left, top, width, height] = mask.coordinates.box;
  const runs = parseRuns(mask.coordinates.counts);
  const [across, down] = [to.width / from.width, to.height / from.height];
  const x = Math.floor(left * across);
  const y = Math.floor(top * down);
  const right = Math.min(to.width, Math.ceil((left + width) * across));
  const bottom = Math.min(to.height, Math.ceil((top + height) * down));
  const area = { width: right - x, height: bottom - y };
  if (!runs || area.width < 1 || area.height < 1) return null;
  if (width * height > maxMaskPixels || area.width * area.height > maxMaskPixels) return null;
  const before = decodeRuns(runs, width, height);
  const pixels = new Uint8Array(area.width * area.height);
  for (let row = 0; row < area.height; row += 1) {
    const oldRow = Math.floor((y + row + 0.5) / down) - top;
    if (oldRow < 0 || oldRow >= height) continue;
    for (let column = 0; column < area.width; column += 1) {
      const oldColumn = Math.floor((x + column + 0.5) / across) - left;
      if (oldColumn < 0 || oldColumn >= width) continue;
      pixels[row * area.width + column] = before[oldRow * width + oldColumn] ?? 0;
    }
  }
  const cropped = cropRuns(encodePixels(pixels, area.width, area.height), area.height);
  if (!cropped) return null;
  const box = { ...cropped.box, x: cropped.box.x + x, y: cropped.box.y + y };
  return { ...mask, coordinates: { ...mask.coordinates, ...toCoordinates(box, cropped.runs, to) } };
}

/**
 * An annotation of a picture of one size as one of the same picture in another; null for what has no such shape there: a box
 * that is turned and would be stretched, and a mask of which nothing is left.
 */
export function scaleAnnotation(annotation: Annotation, from: PictureSize, to: PictureSize): Annotation | null {
  const [across, down] = [to.width / from.width, to.height / from.height];
  const scale = (points: readonly (readonly [number, number])[]): [number, number][] =>
    points.map(([x, y]) => [x * across, y * down]);
  switch (annotation.type) {
    case "bbox": {
      const { x, y, width, height, rotation = 0 } = annotation.coordinates;
      // Sides of a turned box stay at right angles only where both directions are scaled alike.
      const isStretched = Math.abs(across / down - 1) > 0.01;
      if (rotation !== 0 && isStretched) return null;
      const box = { x: x * across, y: y * down, width: width * across, height: height * down };
      return { ...annotation, coordinates: { ...annotation.coordinates, ...box } };
    }
    case "polygon": {
      const { points, holes } = annotation.coordinates;
      const scaled = { points: scale(points), ...(holes && { holes: holes.map(scale) }) };
      return { ...annotation, coordinates: { ...annotation.coordinates, ...scaled } };
    }
    case "polyline":
      return {
        ...annotation,
        coordinates: { ...annotation.coordinates, points: scale(annotation.coordinates.points) },
      };
    case "keypoints":
      return {
        ...annotation,
        coordinates: { ...annotation.coordinates, points: scale(annotation.coordinates.points) },
      };
    case "mask":
      return scaleMask(annotation, from, to);
    default:
      return annotation;
  }
}
