import { toDataView } from "@/engine/bytes";
import { getColours, type ColourScale } from "@/engine/messages/colour-scale";
import { writeBayer } from "@/engine/messages/pictures/bayer-pixels";
import { getLayout, type RawEncoding, type RawPicture } from "@/engine/messages/pictures/picture";
import { writeYuv } from "@/engine/messages/pictures/yuv-pixels";

/** The values that the ends of a colour scale stand for, in the picture's own unit. */
export interface ValueRange {
  min: number;
  max: number;
}

const opaque = 0xff000000;

/**
 * The pixels of a picture, one 32-bit number each with red in the lowest byte; `into` has one for each pixel. Values
 * (depth, 16-bit brightness) are coloured by `scale` over `range`; pixels without a value (0 of depth, NaN) are transparent.
 */
export function writePixels(picture: RawPicture, into: Uint32Array, scale: ColourScale, range: ValueRange): void {
  const { kind } = getLayout(picture.encoding);
  if (kind === "value") writeValues(picture, into, scale, range);
  else if (kind === "bayer") writeBayer(picture, into);
  else if (kind === "yuv") writeYuv(picture, into);
  else writeColours(picture, into);
}

/** Where red, green and blue lie in a pixel, and bytes from one pixel to the next. */
const orders: Partial<Record<RawEncoding, readonly [red: number, green: number, blue: number, bytes: number]>> = {
  rgb8: [0, 1, 2, 3],
  bgr8: [2, 1, 0, 3],
  rgba8: [0, 1, 2, 4],
  bgra8: [2, 1, 0, 4],
  rgb16: [0, 2, 4, 6],
  bgr16: [4, 2, 0, 6],
  mono8: [0, 0, 0, 1],
};

function writeColours({ width, height, step, encoding, bigEndian, data }: RawPicture, into: Uint32Array): void {
  const [red, green, blue, bytes] = orders[encoding] ?? [0, 0, 0, 1];
  // Of 16 bits the higher byte is shown.
  const high = bytes === 6 && !bigEndian ? 1 : 0;
  const [r, g, b] = [red + high, green + high, blue + high];
  let pixel = 0;
  for (let y = 0; y < height; y++) {
    let at = y * step;
    for (let x = 0; x < width; x++, at += bytes) {
      into[pixel++] = opaque | (data[at + b]! << 16) | (data[at + g]! << 8) | data[at + r]!;
    }
  }
}

/** Reads single values of a picture; NaN where there is none: depth of 0 was not measured (REP 118). */
export function readValues(picture: RawPicture): (x: number, y: number) => number {
  const { step, encoding, bigEndian, data } = picture;
  const view = toDataView(data);
  const little = !bigEndian;
  const none = (value: number): number => (value === 0 ? NaN : value);
  switch (encoding) {
    case "16UC1":
      return (x, y) => none(view.getUint16(y * step + x * 2, little));
    case "16SC1":
      return (x, y) => view.getInt16(y * step + x * 2, little);
    case "mono16":
      return (x, y) => view.getUint16(y * step + x * 2, little);
    case "64FC1":
      return (x, y) => none(view.getFloat64(y * step + x * 8, little));
    default:
      return (x, y) => none(view.getFloat32(y * step + x * 4, little));
  }
}

/** One pixel in so many counts for the automatic range. */
const sampleStep = 7;

/** The range that 96 % of a picture's values lie in, from every seventh pixel; 0 to 1 without values. */
export function findRange(picture: RawPicture): ValueRange {
  const { width, height } = picture;
  if (getLayout(picture.encoding).kind !== "value") return { min: 0, max: 1 };
  const read = readValues(picture);
  const found = new Float64Array(Math.ceil((width * height) / sampleStep));
  let count = 0;
  for (let pixel = 0; pixel < width * height; pixel += sampleStep) {
    const value = read(pixel % width, Math.floor(pixel / width));
    if (Number.isFinite(value)) found[count++] = value;
  }
  if (count === 0) return { min: 0, max: 1 };
  const sorted = found.subarray(0, count).sort();
  const [min, max] = [sorted[Math.floor(count * 0.02)]!, sorted[Math.min(count - 1, Math.floor(count * 0.98))]!];
  return max > min ? { min, max } : { min, max: min + 1 };
}

function writeValues(picture: RawPicture, into: Uint32Array, scale: ColourScale, { min, max }: ValueRange): void {
  const { width, height } = picture;
  const colours = getColours(scale);
  const read = readValues(picture);
  const factor = 255 / (max - min || 1);
  let pixel = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const place = (read(x, y) - min) * factor;
      // NaN fails both comparisons, and is no value; infinities are.
      into[pixel++] = place >= 255 ? colours[255]! : place >= 0 ? colours[place | 0]! : place < 0 ? colours[0]! : 0;
    }
  }
}
