import { getLayout, type RawPicture } from "@/engine/messages/pictures/picture";
import { readValues } from "@/engine/messages/pictures/raw-pixels";

/** The unit of a picture's values: depth is in millimetres where it is whole numbers, else in metres (REP 118). */
export function findUnit(encoding: RawPicture["encoding"]): string {
  if (encoding === "16UC1") return "mm";
  return encoding === "32FC1" || encoding === "64FC1" ? "m" : "";
}

/** Whether a picture holds one value a pixel, which a scale of colours shows. */
export const isMeasured = (picture: RawPicture): boolean => getLayout(picture.encoding).kind === "value";

/** The value of a pixel as a text with its unit; "none" where nothing was measured, null outside of the picture. */
export function describeValue(picture: RawPicture, x: number, y: number): string | null {
  const { width, height, encoding } = picture;
  if (x < 0 || y < 0 || x >= width || y >= height || !isMeasured(picture)) return null;
  const value = readValues(picture)(x, y);
  if (Number.isNaN(value)) return "none";
  const text = encoding.includes("F") ? String(Number(value.toPrecision(6))) : String(value);
  return [text, findUnit(encoding)].filter(Boolean).join(" ");
}
