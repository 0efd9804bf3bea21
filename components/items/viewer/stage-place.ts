import type { PicturePlace } from "@/components/recording/picture/picture-place";

/** A place as addresses have it: `x,y,scale`, in pixels of the picture and pixels of the screen for each. Null for none. */
export function parseZoom(text: string | null): PicturePlace | null {
  const [x, y, scale, ...rest] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || scale === undefined || rest.length > 0) return null;
  if (![x, y, scale].every(Number.isFinite) || scale <= 0) return null;
  return { x, y, scale: Math.min(64, scale) };
}

const short = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

export const formatZoom = ({ x, y, scale }: PicturePlace): string =>
  [short(x, 1), short(y, 1), short(scale, 4)].join(",");
