import { latin1Text, toDataView } from "@/engine/bytes";
import type { PackedPicture, RawPicture } from "@/engine/messages/pictures/picture";
import { inflatePng, isPng, readPngHead } from "@/engine/messages/pictures/png";
import { decodeRvl } from "@/engine/messages/pictures/rvl";
import { checkSize, UnreadableMessage } from "@/engine/messages/reading";

/** compressed_depth_image_transport puts a number of the method and two of its parameters before the picture. */
const headBytes = 12;

/** A message of a depth camera: `<encoding>; compressedDepth <png or rvl>`. Throws UnreadableMessage for what it is not. */
export function readCompressedDepth(format: string, data: Uint8Array): PackedPicture {
  const encoding = /^\s*32FC1/i.test(format) ? "32FC1" : "16UC1";
  const view = toDataView(data);
  if (data.length < headBytes) throw new UnreadableMessage("compressedDepth: the 12-byte head is cut.");
  const quantization = { a: view.getFloat32(4, true), b: view.getFloat32(8, true) };
  const packed = { kind: "packed", encoding, quantization } as const;
  if (/rvl\s*$/i.test(format)) {
    if (data.length < headBytes + 8) throw new UnreadableMessage("compressedDepth: no size after the 12-byte head.");
    const [width, height] = [view.getUint32(headBytes, true), view.getUint32(headBytes + 4, true)];
    checkSize(width, height);
    return { ...packed, form: "rvl", width, height, data: data.subarray(headBytes + 8) };
  }
  const png = data.subarray(headBytes);
  if (!isPng(png)) throw new UnreadableMessage("compressedDepth: no PNG after the 12-byte head.");
  const { width, height, depth, colour } = readPngHead(png);
  if (depth !== 16 || colour !== 0)
    throw new UnreadableMessage(`compressedDepth: the PNG has ${depth} bits a pixel, not 16 of one value.`);
  checkSize(width, height);
  return { ...packed, form: "png", width, height, data: png };
}

/** A PNG of 16 bits of one value; null for any other, which browsers show as it is. */
export function readDeepPng(format: string, data: Uint8Array): PackedPicture | null {
  if (latin1Text(data.subarray(12, 16)) !== "IHDR" || data.length < 29) return null;
  const { width, height, depth, colour } = readPngHead(data);
  if (depth !== 16 || colour !== 0) return null;
  const encoding = /^\s*16UC1/i.test(format) ? "16UC1" : "mono16";
  return { kind: "packed", form: "png", width, height, encoding, quantization: { a: 0, b: 0 }, data };
}

/** The values of a packed picture. Throws UnreadableMessage when it is damaged. */
export async function unpackPicture(picture: PackedPicture): Promise<RawPicture> {
  const { form, width, height, encoding, quantization, data } = picture;
  const bytes = form === "rvl" ? decodeRvl(data, width * height) : await inflatePng(data);
  const bigEndian = form === "png";
  const raw = { kind: "raw", width, height, bigEndian } as const;
  if (encoding !== "32FC1") return { ...raw, encoding, step: width * 2, data: bytes };
  return { ...raw, encoding, bigEndian: false, step: width * 4, data: toMetres(bytes, bigEndian, quantization) };
}

function toMetres(bytes: Uint8Array, bigEndian: boolean, { a, b }: PackedPicture["quantization"]): Uint8Array {
  const values = toDataView(bytes);
  const metres = new Uint8Array(bytes.length * 2);
  const into = toDataView(metres);
  for (let at = 0; at < bytes.length; at += 2) {
    const value = values.getUint16(at, !bigEndian);
    into.setFloat32(at * 2, value === 0 ? Number.NaN : a / (value - b), true);
  }
  return metres;
}
