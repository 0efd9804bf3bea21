import { latin1Text, toDataView } from "@/engine/bytes";
import { readCompressedDepth, readDeepPng } from "@/engine/messages/pictures/packed-picture";
import type { CompressedPicture, PackedPicture } from "@/engine/messages/pictures/picture";
import { checkSize, readBytes, readFields, readText, UnreadableMessage } from "@/engine/messages/reading";

/**
 * A message of a compressed picture. Its type is recognized by its first bytes, since `format` is filled in many ways. Throws
 * UnreadableMessage for another type and for more than 100 megapixels.
 */
export function readCompressedPicture(value: unknown): CompressedPicture | PackedPicture {
  const fields = readFields(value);
  const data = readBytes(fields, "data");
  const described = readText(fields, "format");
  if (/compresseddepth/i.test(described)) return readCompressedDepth(described, data);
  const mediaType = detectType(data);
  if (mediaType === null) throw new UnreadableMessage(describeUnknown(described.slice(0, 60), data));
  const size = readSize(data, mediaType);
  if (size !== null) checkSize(size.width, size.height);
  return (mediaType === "image/png" ? readDeepPng(described, data) : null) ?? { kind: "compressed", mediaType, data };
}

/** Whether bytes are those of a picture that can be read, however its schema is called. */
export const isPictureFile = (format: string, data: Uint8Array): boolean =>
  /compresseddepth/i.test(format) || detectType(data) !== null;

function describeUnknown(format: string, data: Uint8Array): string {
  if (data.length === 0) return "The message carries no picture.";
  if (!/jpe?g|png|webp|avif/i.test(format)) return `Pictures of the format "${format}" cannot be shown.`;
  const head = Array.from(data.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `The format is "${format}", but the data begins as no picture does: ${head}`;
}

function detectType(data: Uint8Array): CompressedPicture["mediaType"] | null {
  const head = latin1Text(data.subarray(0, 12));
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  return /^....ftypavi[fs]/s.test(head) ? "image/avif" : null;
}

interface Size {
  width: number;
  height: number;
}

/** The size that a file declares, before anything is allocated for it; null where only decoding tells it. */
function readSize(data: Uint8Array, mediaType: CompressedPicture["mediaType"]): Size | null {
  const view = toDataView(data);
  if (mediaType === "image/png")
    return data.length < 24 ? null : { width: view.getUint32(16), height: view.getUint32(20) };
  return mediaType === "image/jpeg" ? readJpegSize(view) : null;
}

/** Of the first frame header: a marker from C0 to CF, apart from tables and restarts. */
function readJpegSize(view: DataView): Size | null {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Fill bytes and markers without a length.
    at += marker === 0xff ? 1 : marker >= 0xd0 && marker <= 0xd9 ? 2 : 2 + view.getUint16(at + 2);
  }
  return null;
}
