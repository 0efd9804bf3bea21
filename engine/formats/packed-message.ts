import type { Decompress } from "@/engine/formats/codecs/codecs";
import { RecordingError } from "@/engine/formats/recording-error";

/**
 * The payload of a message whose recorder compressed payloads one by one, unpacked; others as they are. Throws a
 * RecordingError for one that is damaged or too large.
 */
export type UnpackMessage = (data: Uint8Array) => Uint8Array;

const maxMessageBytes = 64 * 1024 * 1024;

/** Whether a payload in CDR, of which `at` is the first byte, is a frame of zstd: CDR never begins like one. */
export const isPackedMessage = (bytes: Uint8Array, at = 0): boolean =>
  bytes[at] === 0x28 && bytes[at + 1] === 0xb5 && bytes[at + 2] === 0x2f && bytes[at + 3] === 0xfd;

/** The decompressed size that a zstd frame declares; null for other bytes and frames that do not say. */
export function zstdFrameSize(data: Uint8Array): number | null {
  if (data.length < 6 || !isPackedMessage(data)) return null;
  const descriptor = data[4]!;
  const single = (descriptor & 0x20) !== 0;
  const bytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  if (bytes === 0 || at + bytes > data.length) return null;
  let size = 0;
  for (let i = bytes - 1; i >= 0; i--) size = size * 256 + data[at + i]!;
  return bytes === 2 ? size + 256 : size;
}

/** Unpacks payloads in CDR. `count` is given the size that each declares before it is allocated, and may throw. */
export function createUnpackMessage(zstd: Decompress, count: (bytes: number) => void = () => {}): UnpackMessage {
  return (data) => {
    if (!isPackedMessage(data)) return data;
    const size = zstdFrameSize(data);
    if (size === null) throw new RecordingError("A message is compressed without its size, and cannot be read.");
    if (size > maxMessageBytes) throw new RecordingError("A message holds more than 64 MiB when it is decompressed.");
    count(size);
    const unpacked = orNull(() => zstd(data, size));
    if (unpacked?.length !== size) throw new RecordingError("A compressed message is damaged.");
    return unpacked;
  };
}

function orNull(decompress: () => Uint8Array): Uint8Array | null {
  try {
    return decompress();
  } catch {
    return null;
  }
}
