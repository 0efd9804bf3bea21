import sharp from "sharp";
import { unpackPicture } from "@/engine/messages/pictures/packed-picture";
import { getLayout, type PackedPicture, type Picture, type RawPicture } from "@/engine/messages/pictures/picture";
import { findRange, writePixels } from "@/engine/messages/pictures/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";

/** Pixels on the longer side, and the quality of the JPEG. */
interface JpegSize {
  maxSide: number;
  quality: number;
}
/** The pictures that alerts keep. */
const captured: JpegSize = { maxSide: 640, quality: 75 };
/** Raw pictures are converted as a whole: this many pixels take 64 MB. */
const maxRawPixels = 16_000_000;
const maxPixels = 100_000_000;

export interface Jpeg {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** A picture of a camera as a small JPEG. Throws UnreadableMessage for one that is damaged or too large. */
export async function toJpeg(picture: Picture, { maxSide, quality } = captured): Promise<Jpeg> {
  try {
    if (picture.kind !== "compressed") checkRawSize(picture);
    const { data, info } = await open(picture.kind === "packed" ? await unpackPicture(picture) : picture)
      .resize({ width: maxSide, height: maxSide, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#000" })
      .jpeg({ quality, mozjpeg: false })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    if (error instanceof UnreadableMessage) throw error;
    throw new UnreadableMessage("The picture is damaged.");
  }
}

function checkRawSize({ width, height }: RawPicture | PackedPicture): void {
  if (width * height > maxRawPixels)
    throw new UnreadableMessage(`The picture has ${width} × ${height} pixels; at most 16 megapixels are kept.`);
}

function open(picture: Exclude<Picture, PackedPicture>) {
  if (picture.kind === "compressed")
    return sharp(picture.data, { limitInputPixels: maxPixels, sequentialRead: true, failOn: "error" });
  const { width, height, encoding } = picture;
  const pixels = new Uint32Array(width * height);
  const isDepth = getLayout(encoding).kind === "value" && encoding !== "mono16";
  writePixels(picture, pixels, isDepth ? "turbo" : "grey", findRange(picture));
  return sharp(new Uint8Array(pixels.buffer), { raw: { width, height, channels: 4 } });
}
