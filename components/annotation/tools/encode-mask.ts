import { toCoordinates, type MaskCoordinates } from "@/domain/masks/mask-figure";
import { cropRuns, encodePixels, type Area } from "@/domain/masks/run-lengths";

/** Pixels of an area of a picture as a mask of the smallest box around them; null where none is in it. */
export function encodeMask(
  pixels: Uint8Array,
  { x, y, width, height }: Area,
  picture: { width: number; height: number },
): MaskCoordinates | null {
  const cropped = cropRuns(encodePixels(pixels, width, height), height);
  if (!cropped) return null;
  const box = { ...cropped.box, x: cropped.box.x + x, y: cropped.box.y + y };
  return toCoordinates(box, cropped.runs, picture);
}
