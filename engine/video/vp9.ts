import { BitReader } from "@/engine/video/bit-reader";
import type { StreamParameters } from "@/engine/video/stream-parameters";

const rgb = 7;
const syncCode = 0x49_83_42;

/** What the head of a frame says: its stream's parameters for a keyframe, null for another; undefined for what is no frame. */
export function readVp9Head(data: Uint8Array): StreamParameters | null | undefined {
  const reader = new BitReader(data.subarray(0, 32));
  if (data.length === 0 || reader.bits(2) !== 2) return undefined;
  const profile = reader.bit() + 2 * reader.bit();
  if (profile === 3) reader.skip(1);
  const isRepeated = reader.flag();
  if (isRepeated || reader.flag()) return null;
  reader.skip(2);
  if (reader.bits(24) !== syncCode) return undefined;
  const depth = profile >= 2 ? (reader.flag() ? 12 : 10) : 8;
  const isRgb = reader.bits(3) === rgb;
  reader.skip(isRgb ? 0 : 1);
  if (profile % 2 === 1) reader.skip(isRgb ? 1 : 3);
  const [width, height] = [reader.bits(16) + 1, reader.bits(16) + 1];
  if (reader.isOver) return undefined;
  const level = chooseLevel(width * height);
  return {
    codec: `vp09.0${profile}.${level}.${depth === 8 ? "08" : depth}`,
    width,
    height,
    reorder: 0,
    frameNumbers: null,
  };
}

/** Frames do not say their level; the smallest that allows their size. */
const chooseLevel = (pixels: number): number =>
  pixels <= 983_040 ? 31 : pixels <= 2_228_224 ? 41 : pixels <= 8_912_896 ? 51 : 61;
