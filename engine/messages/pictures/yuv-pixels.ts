import type { RawPicture } from "@/engine/messages/pictures/picture";

/** A pixel of brightness and colour by ITU-R BT.601 with 16 to 235 for black to white, as OpenCV converts them. */
function toPixel(luma: number, u: number, v: number): number {
  const y = (luma < 16 ? 0 : luma - 16) * 1_220_542;
  const red = (y + v * 1_673_527 + 524_288) >> 20;
  const green = (y - v * 852_492 - u * 409_993 + 524_288) >> 20;
  const blue = (y + u * 2_116_026 + 524_288) >> 20;
  return 0xff000000 | (clamp(blue) << 16) | (clamp(green) << 8) | clamp(red);
}

const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value);

/** Where the chroma of a pixel lies in the data. */
type FindChroma = (x: number, y: number) => { u: number; v: number };

/** A picture of luma and chroma: interleaved (`yuv422`: U Y V Y, `yuv422_yuy2`: Y U Y V) or in planes. */
export function writeYuv(picture: RawPicture, into: Uint32Array): void {
  if (picture.encoding.startsWith("yuv422")) writeInterleaved(picture, into);
  else writePlanes(picture, into);
}

function writeInterleaved({ width, height, step, encoding, data }: RawPicture, into: Uint32Array): void {
  const luma = encoding === "yuv422" ? 1 : 0;
  const chroma = 1 - luma;
  let pixel = 0;
  for (let y = 0; y < height; y++) {
    const row = y * step;
    for (let x = 0; x < width; x++) {
      // Two pixels share their chroma; an odd last one has only half of it.
      const pair = row + (x & ~1) * 2;
      const u = data[pair + chroma]! - 128;
      const v = (x | 1) < width ? data[pair + chroma + 2]! - 128 : u;
      into[pixel++] = toPixel(data[row + x * 2 + luma]!, u, v);
    }
  }
}

function findChroma({ height, step, encoding }: RawPicture): FindChroma {
  const planes = step * height;
  switch (encoding) {
    case "nv24":
      return (x, y) => ({ u: planes + y * step * 2 + x * 2, v: planes + y * step * 2 + x * 2 + 1 });
    case "i420":
    case "yv12": {
      // Each plane has a pixel for four, at an odd edge for two.
      const half = Math.ceil(step / 2);
      const size = half * Math.ceil(height / 2);
      const [u, v] = encoding === "i420" ? [0, size] : [size, 0];
      return (x, y) => {
        const at = planes + (y >> 1) * half + (x >> 1);
        return { u: at + u, v: at + v };
      };
    }
    default: {
      const [u, v] = encoding === "nv12" ? [0, 1] : [1, 0];
      return (x, y) => {
        const at = planes + (y >> 1) * step + (x & ~1);
        return { u: at + u, v: at + v };
      };
    }
  }
}

function writePlanes(picture: RawPicture, into: Uint32Array): void {
  const { width, height, step, data } = picture;
  const find = findChroma(picture);
  let pixel = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const { u, v } = find(x, y);
      into[pixel++] = toPixel(data[y * step + x]!, (data[u] ?? 128) - 128, (data[v] ?? 128) - 128);
    }
  }
}
