import { latin1Text, toDataView } from "@/engine/bytes";
import { crc32 } from "@/engine/formats/codecs/crc32";
import type { CompressedPicture } from "@/engine/messages/pictures/picture";

/**
 * A copy of a picture's file whose EXIF data no decoder finds: browsers turn pictures by it, also against their settings, and
 * nothing else that a recording says of a picture is turned along.
 */
export function hideExif({ data, mediaType }: CompressedPicture): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(data);
  if (mediaType === "image/jpeg") hideInJpeg(copy);
  else if (mediaType === "image/png") hideInPng(copy);
  else if (mediaType === "image/webp") hideInWebp(copy);
  return copy;
}

/** Renames the segments of EXIF data, which all lie before the picture's own. */
function hideInJpeg(file: Uint8Array): void {
  const view = toDataView(file);
  for (let at = 2; at + 10 <= file.length && file[at] === 0xff;) {
    const marker = file[at + 1]!;
    // Fill bytes, and the beginning of the picture.
    if (marker === 0xff) at += 1;
    else if (marker === 0xda || marker === 0xd9) return;
    else {
      if (marker === 0xe1 && latin1Text(file.subarray(at + 4, at + 9)) === "Exif\0") file[at + 4] = 0x58;
      at += 2 + view.getUint16(at + 2);
    }
  }
}

function hideInPng(file: Uint8Array): void {
  const view = toDataView(file);
  for (let at = 8; at + 12 <= file.length;) {
    const end = at + 12 + view.getUint32(at);
    if (end > file.length) return;
    if (latin1Text(file.subarray(at + 4, at + 8)) === "eXIf") {
      file[at + 6] = 0x58;
      view.setUint32(end - 4, crc32(file.subarray(at + 4, end - 4)));
    }
    at = end;
  }
}

function hideInWebp(file: Uint8Array): void {
  const view = toDataView(file);
  for (let at = 12; at + 8 <= file.length;) {
    const name = latin1Text(file.subarray(at, at + 4));
    // The first part says which others there are.
    if (name === "VP8X" && at + 9 <= file.length) file[at + 8]! &= ~0x08;
    if (name === "EXIF") file[at] = 0x58;
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
}
