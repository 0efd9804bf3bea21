import { BitReader } from "@/engine/video/bit-reader";
import { unescapeUnit } from "@/engine/video/nal-units";
import { toHex, type StreamParameters } from "@/engine/video/stream-parameters";

export const getH265Type = (unit: Uint8Array): number => (unit[0]! >> 1) & 63;
export const h265Types = { firstKey: 16, lastKey: 21, lastSlice: 31, vps: 32, sps: 33, pps: 34 } as const;

/** What a sequence parameter set says; null for one that is damaged. */
export function readH265Parameters(unit: Uint8Array): StreamParameters | null {
  const bytes = unescapeUnit(unit, 1_024);
  if (bytes.length < 16) return null;
  const reader = new BitReader(bytes);
  reader.skip(16 + 4);
  const layers = reader.bits(3);
  reader.skip(1);
  const codec = readCodec(reader);
  skipLayers(reader, layers);
  reader.unsigned(); // its number
  if (reader.unsigned() === 3) reader.skip(1);
  const [width, height] = [reader.unsigned(), reader.unsigned()];
  if (reader.flag()) for (let side = 0; side < 4; side++) reader.unsigned();
  reader.unsigned();
  reader.unsigned();
  reader.unsigned();
  const eachLayer = reader.flag();
  let reorder = 0;
  for (let layer = eachLayer ? 0 : layers; layer <= layers; layer++) {
    reader.unsigned();
    reorder = reader.unsigned();
    reader.unsigned();
  }
  return reader.isOver ? null : { codec, width, height, reorder, frameNumbers: null };
}

/** Profile, tier and level as `hvc1.1.6.L93.B0`. */
function readCodec(reader: BitReader): string {
  const space = ["", "A", "B", "C"][reader.bits(2)] ?? "";
  const tier = reader.flag() ? "H" : "L";
  const profile = reader.bits(5);
  let compatible = 0;
  for (let bit = 0; bit < 32; bit++) compatible += reader.bit() * 2 ** bit;
  const constraints = Array.from({ length: 6 }, () => reader.bits(8));
  const level = reader.bits(8);
  while (constraints.at(-1) === 0) constraints.pop();
  const parts = [`${space}${profile}`, compatible.toString(16), `${tier}${level}`, ...constraints.map(toHex)];
  return `hvc1.${parts.join(".").toUpperCase()}`;
}

function skipLayers(reader: BitReader, layers: number): void {
  const present = Array.from({ length: layers }, () => [reader.flag(), reader.flag()] as const);
  if (layers > 0) reader.skip((8 - layers) * 2);
  for (const [hasProfile, hasLevel] of present) reader.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0));
}
