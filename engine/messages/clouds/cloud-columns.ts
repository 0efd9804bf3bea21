import { findField } from "@/engine/messages/clouds/cloud";
import { createFieldReader } from "@/engine/messages/packed-numbers";
import type { Cloud } from "@/engine/messages/scene-object";

/** One number of each point: a field, or `distance` from the cloud's own origin. Zeros for a field it does not have. */
export function readColumn(cloud: Cloud, name: string): Float32Array {
  const column = new Float32Array(cloud.count);
  const field = findField(cloud, name);
  if (field !== null) {
    const read = createFieldReader(cloud.data, field, cloud.isLittleEndian);
    for (let point = 0, at = 0; point < column.length; point++, at += cloud.stride) column[point] = read(at);
  } else if (name === "distance") {
    const [x, y, z] = [readColumn(cloud, "x"), readColumn(cloud, "y"), readColumn(cloud, "z")];
    for (let point = 0; point < column.length; point++) column[point] = Math.hypot(x[point]!, y[point]!, z[point]!);
  }
  return column;
}

/** The fields of one point, as its message has them; packed colours as their parts. */
export const readPoint = (cloud: Cloud, point: number): { name: string; value: number }[] =>
  cloud.fields.flatMap((field) => {
    const at = point * cloud.stride;
    if (field.name !== "rgb" && field.name !== "rgba")
      return [{ name: field.name, value: createFieldReader(cloud.data, field, cloud.isLittleEndian)(at) }];
    const parts = ["red", "green", "blue"];
    return parts.map((name, part) => ({ name, value: cloud.data[at + field.offset + listParts(cloud)[part]!]! }));
  });

/** Where red, green, blue and opacity are among the four bytes of a packed colour. */
const listParts = ({ isLittleEndian }: Cloud): readonly number[] => (isLittleEndian ? [2, 1, 0, 3] : [1, 2, 3, 0]);

/** What the automatic range of colours looks at. */
const maxSamples = 20_000;

/** The range that 96 % of the values lie in, from a sample; 0 to 1 without values. */
export function findSpan(cloud: Cloud, name: string): { min: number; max: number } {
  const step = Math.max(1, Math.ceil(cloud.count / maxSamples));
  const sample = sampleCloud(cloud, step);
  return findMiddle(readColumn(sample, name));
}

/** The range that 96 % of values lie in; 0 to 1 without values. */
export function findMiddle(values: Float32Array): { min: number; max: number } {
  const found = values.filter((value) => Number.isFinite(value)).sort();
  if (found.length === 0) return { min: 0, max: 1 };
  const min = found[Math.floor(found.length * 0.02)]!;
  const max = found[Math.min(found.length - 1, Math.floor(found.length * 0.98))]!;
  return max > min ? { min, max } : { min, max: min + 1 };
}

/** Every nth point of a cloud, without a copy: its points are that much longer. */
export const sampleCloud = ({ rows: _, ...cloud }: Cloud, step: number): Cloud => ({
  ...cloud,
  count: Math.ceil(cloud.count / step),
  stride: cloud.stride * step,
});

/** The colour of each point that its message gives, red, green, blue and opacity in bytes; null when it gives none. */
export function readColours(cloud: Cloud): Uint8Array | null {
  const packed = findField(cloud, "rgba") ?? findField(cloud, "rgb");
  const colours = new Uint8Array(cloud.count * 4);
  if (packed !== null) {
    const hasAlpha = packed.name === "rgba";
    const order = listParts(cloud);
    for (let point = 0; point < cloud.count; point++) {
      const at = point * cloud.stride + packed.offset;
      for (let part = 0; part < 4; part++)
        colours[point * 4 + part] = part === 3 && !hasAlpha ? 255 : cloud.data[at + order[part]!]!;
    }
    return colours;
  }
  const names = ["red", "green", "blue"];
  const fields = names.map((name) => findField(cloud, name));
  if (fields.some((field) => field === null)) return null;
  const alpha = findField(cloud, "alpha");
  for (const [part, field] of [...fields, alpha].entries()) {
    const read = field && createFieldReader(cloud.data, field, cloud.isLittleEndian);
    const factor = field?.type.startsWith("float") ? 255 : field?.type === "uint16" ? 1 / 257 : 1;
    for (let point = 0; point < cloud.count; point++)
      colours[point * 4 + part] = read ? Math.max(0, Math.min(255, read(point * cloud.stride) * factor)) : 255;
  }
  return colours;
}
