import { BitReader } from "@/engine/video/bit-reader";
import type { StreamParameters } from "@/engine/video/stream-parameters";

const types = { sequence: 1, frameHeader: 3, frame: 6 } as const;
const maxUnits = 256;

interface Unit {
  type: number;
  payload: Uint8Array;
}

/** The open bitstream units of a temporal unit; ends where they are damaged. */
function listUnits(data: Uint8Array): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < data.length && units.length < maxUnits;) {
    const head = data[at]!;
    if ((head & 0x80) !== 0) break;
    at += (head & 4) === 0 ? 1 : 2;
    let size = data.length - at;
    if ((head & 2) !== 0) {
      let [value, shift, byte] = [0, 0, 0x80];
      while ((byte & 0x80) !== 0 && shift < 35 && at < data.length) {
        byte = data[at++]!;
        value += (byte & 0x7f) * 2 ** shift;
        shift += 7;
      }
      size = value;
    }
    if (size > data.length - at) break;
    units.push({ type: (head >> 3) & 15, payload: data.subarray(at, at + size) });
    at += size;
  }
  return units;
}

/** What is known of a temporal unit from its heads. */
interface Av1Head {
  /** Whether it holds a frame. */
  hasFrame: boolean;
  /** Whether decoding can begin with it: it holds a keyframe and a sequence header. */
  isKey: boolean;
  parameters: StreamParameters | null;
}

/** What the heads of a temporal unit say; null for bytes that are none. */
export function readAv1Head(data: Uint8Array): Av1Head | null {
  const units = listUnits(data);
  const sequence = units.find(({ type }) => type === types.sequence);
  const frame = units.find(({ type }) => type === types.frame || type === types.frameHeader);
  if (!sequence && !frame) return null;
  const parameters = sequence ? readSequence(sequence.payload) : null;
  const head = new BitReader(frame?.payload.subarray(0, 1) ?? new Uint8Array(0));
  const isKeyframe = frame !== undefined && !head.flag() && head.bits(2) === 0;
  return { hasFrame: frame !== undefined, isKey: isKeyframe && parameters !== null, parameters };
}

function readSequence(payload: Uint8Array): StreamParameters | null {
  const reader = new BitReader(payload);
  const profile = reader.bits(3);
  reader.skip(1);
  const isReduced = reader.flag();
  const { level, tier } = isReduced ? { level: reader.bits(5), tier: "M" } : readOperatingPoints(reader);
  const [widthBits, heightBits] = [reader.bits(4) + 1, reader.bits(4) + 1];
  const [width, height] = [reader.bits(widthBits) + 1, reader.bits(heightBits) + 1];
  skipTools(reader, isReduced);
  const isHigh = reader.flag();
  const depth = isHigh ? (profile === 2 && reader.flag() ? "12" : "10") : "08";
  if (reader.isOver) return null;
  const codec = `av01.${profile}.${String(level).padStart(2, "0")}${tier}.${depth}`;
  return { codec, width, height, reorder: 0, frameNumbers: null };
}

/** Level and tier of the first operating point. */
function readOperatingPoints(reader: BitReader): { level: number; tier: string } {
  let delayBits = 0;
  let hasModel = false;
  if (reader.flag()) {
    reader.skip(64);
    if (reader.flag()) reader.unsigned();
    hasModel = reader.flag();
    if (hasModel) {
      delayBits = reader.bits(5) + 1;
      reader.skip(42);
    }
  }
  const hasDelay = reader.flag();
  const count = reader.bits(5) + 1;
  let first: { level: number; tier: string } | null = null;
  for (let point = 0; point < count; point++) {
    reader.skip(12);
    const level = reader.bits(5);
    const tier = level > 7 && reader.flag() ? "H" : "M";
    first ??= { level, tier };
    if (hasModel && reader.flag()) reader.skip(delayBits * 2 + 1);
    if (hasDelay && reader.flag()) reader.skip(4);
  }
  return first ?? { level: 0, tier: "M" };
}

/** What comes between the size and the depth of colours. */
function skipTools(reader: BitReader, isReduced: boolean): void {
  if (!isReduced && reader.flag()) reader.skip(7);
  reader.skip(3);
  if (!isReduced) {
    reader.skip(4);
    const hasOrder = reader.flag();
    if (hasOrder) reader.skip(2);
    const screenContent = reader.flag() ? 2 : reader.bit();
    if (screenContent > 0 && !reader.flag()) reader.skip(1);
    if (hasOrder) reader.skip(3);
  }
  reader.skip(3);
}
