import { BitReader } from "@/engine/video/bit-reader";
import { unescapeUnit } from "@/engine/video/nal-units";
import { toHex, type FrameNumbers, type StreamParameters } from "@/engine/video/stream-parameters";

export const getH264Type = (unit: Uint8Array): number => unit[0]! & 31;
export const h264Types = { firstSlice: 1, idr: 5, sps: 7, pps: 8 } as const;
const spsLimit = 1_024;
const profilesWithChroma = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
const [baseline, extendedRatio] = [66, 255];

/** What a sequence parameter set says; null for one that is damaged. */
export function readH264Parameters(unit: Uint8Array): StreamParameters | null {
  const bytes = unescapeUnit(unit, spsLimit);
  if (bytes.length < 5) return null;
  const reader = new BitReader(bytes);
  reader.skip(8);
  const [profile, constraints, level] = [reader.bits(8), reader.bits(8), reader.bits(8)];
  reader.unsigned(); // its number
  const planeBits = profilesWithChroma.has(profile) ? skipChroma(reader) : 0;
  const bits = reader.unsigned() + 4;
  const orderType = skipPictureOrder(reader);
  reader.unsigned(); // reference frames
  const areGapsAllowed = reader.flag();
  const width = (reader.unsigned() + 1) * 16;
  const rows = (reader.unsigned() + 1) * 16;
  const isProgressive = reader.flag();
  if (!isProgressive) reader.skip(1);
  reader.skip(1);
  if (reader.flag()) for (let side = 0; side < 4; side++) reader.unsigned(); // cropping
  if (reader.isOver || bits > 16) return null;
  const declared = reader.flag() ? readReorder(reader) : null;
  const isInOrder = orderType === 2 || profile === baseline;
  return {
    codec: `avc1.${toHex(profile)}${toHex(constraints)}${toHex(level)}`,
    width,
    height: isProgressive ? rows : rows * 2,
    reorder: isInOrder ? 0 : reader.isOver ? null : declared,
    frameNumbers: areGapsAllowed ? null : { bits, planeBits },
  };
}

/** Resolves to the bits of a plane's identifier. */
function skipChroma(reader: BitReader): number {
  const format = reader.unsigned();
  const hasPlanes = format === 3 && reader.flag();
  reader.unsigned();
  reader.unsigned();
  reader.skip(1);
  if (reader.flag()) {
    for (let list = 0; list < (format === 3 ? 12 : 8); list++) {
      if (reader.flag()) skipScalingList(reader, list < 6 ? 16 : 64);
    }
  }
  return hasPlanes ? 2 : 0;
}

function skipScalingList(reader: BitReader, size: number): void {
  let [last, next] = [8, 8];
  for (let n = 0; n < size && !reader.isOver; n++) {
    if (next !== 0) next = (((last + reader.signed()) % 256) + 256) % 256;
    if (next !== 0) last = next;
  }
}

function skipPictureOrder(reader: BitReader): number {
  const type = reader.unsigned();
  if (type === 0) reader.unsigned();
  else if (type === 1) {
    reader.skip(1);
    reader.signed();
    reader.signed();
    const cycle = reader.unsigned();
    for (let n = 0; n < cycle && !reader.isOver; n++) reader.signed();
  }
  return type;
}

/** From the usability information: pictures that may come before an earlier one; null when it is not said. */
function readReorder(reader: BitReader): number | null {
  if (reader.flag() && reader.bits(8) === extendedRatio) reader.skip(32);
  if (reader.flag()) reader.skip(1);
  if (reader.flag()) {
    reader.skip(4);
    if (reader.flag()) reader.skip(24);
  }
  if (reader.flag()) {
    reader.unsigned();
    reader.unsigned();
  }
  if (reader.flag()) reader.skip(65);
  const [hasNal, hasVcl] = [skipBuffering(reader), skipBuffering(reader)];
  if (hasNal || hasVcl) reader.skip(1);
  reader.skip(1);
  if (!reader.flag()) return null;
  reader.skip(1);
  for (let n = 0; n < 4; n++) reader.unsigned();
  return reader.unsigned();
}

function skipBuffering(reader: BitReader): boolean {
  if (!reader.flag()) return false;
  const count = reader.unsigned() + 1;
  reader.skip(8);
  for (let n = 0; n < count && !reader.isOver; n++) {
    reader.unsigned();
    reader.unsigned();
    reader.skip(1);
  }
  reader.skip(20);
  return true;
}

/** What the head of a slice says of its picture. */
export interface H264Slice {
  /** Of its picture; 0 for a keyframe. */
  frameNumber: number;
  isReference: boolean;
  isBidirectional: boolean;
}

export function readH264Slice(unit: Uint8Array, { bits, planeBits }: FrameNumbers): H264Slice {
  const reader = new BitReader(unescapeUnit(unit, 64));
  reader.skip(1);
  const isReference = reader.bits(2) !== 0;
  reader.skip(5);
  reader.unsigned(); // first macroblock
  const type = reader.unsigned() % 5;
  reader.unsigned(); // its picture parameter set
  reader.skip(planeBits);
  return { frameNumber: reader.bits(bits), isReference, isBidirectional: type === 1 };
}
