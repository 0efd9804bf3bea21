import sharp from "sharp";
import type { Annotation } from "@/domain/tasks/schema";

/** Pixels of the longer side of the scaled-down picture that is analyzed. */
const scaledSide = 128;

/**
 * The built-in model: the largest region of a picture that differs from its mean brightness by more than a standard
 * deviation, as a box labelled `object`. Deterministic, and needs no network.
 */
export async function detectStandout(image: Buffer): Promise<Annotation[]> {
  const { data, info } = await sharp(image)
    .rotate()
    .resize(scaledSide, scaledSide, { fit: "inside", withoutEnlargement: true, kernel: "nearest" })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width: original, height: originalHeight, orientation = 1 } = await sharp(image).metadata();
  const [fullWidth, fullHeight] = orientation >= 5 ? [originalHeight, original] : [original, originalHeight];
  const { width, height, channels } = info;
  const light = new Float64Array(width * height);
  for (let at = 0; at < light.length; at++) light[at] = data[at * channels] ?? 0;
  const mean = light.reduce((sum, value) => sum + value, 0) / light.length;
  const deviation = Math.sqrt(light.reduce((sum, value) => sum + (value - mean) ** 2, 0) / light.length);
  if (deviation < 1) return [];
  const region = findLargestRegion(
    light.map((value) => (Math.abs(value - mean) > deviation ? 1 : 0)),
    width,
    height,
  );
  if (!region) return [];
  const { left, top, right, bottom, area } = region;
  const [scaleX, scaleY] = [fullWidth / width, fullHeight / height];
  return [
    {
      label: "object",
      type: "bbox",
      coordinates: {
        x: left * scaleX,
        y: top * scaleY,
        width: (right - left) * scaleX,
        height: (bottom - top) * scaleY,
      },
      attributes: { confidence: Math.round((area / ((right - left) * (bottom - top))) * 1_000) / 1_000 },
    },
  ];
}

interface Region {
  left: number;
  top: number;
  right: number;
  bottom: number;
  area: number;
}

/** The largest set of marked pixels connected by their sides. */
function findLargestRegion(marked: Float64Array, width: number, height: number): Region | null {
  const seen = new Uint8Array(marked.length);
  let largest: Region | null = null;
  for (let start = 0; start < marked.length; start++) {
    if (!marked[start] || seen[start]) continue;
    const region: Region = { left: width, top: height, right: 0, bottom: 0, area: 0 };
    const stack = [start];
    seen[start] = 1;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      region.area++;
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x + 1);
      region.top = Math.min(region.top, y);
      region.bottom = Math.max(region.bottom, y + 1);
      const neighbours = [
        x > 0 ? at - 1 : -1,
        x < width - 1 ? at + 1 : -1,
        y > 0 ? at - width : -1,
        y < height - 1 ? at + width : -1,
      ];
      for (const next of neighbours) {
        if (next < 0 || !marked[next] || seen[next]) continue;
        seen[next] = 1;
        stack.push(next);
      }
    }
    if (!largest || region.area > largest.area) largest = region;
  }
  return largest;
}
