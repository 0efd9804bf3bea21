import { identity } from "@/engine/messages/pose";
import type { Cloud, NumberType, PackedField } from "@/engine/messages/scene-object";

/** The points of a file, or every nth of them. */
export interface FileCloud {
  cloud: Cloud;
  /** Points in the file. */
  total: number;
  /** Every which point was read. */
  step: number;
}

/** Thrown for a file whose points cannot be read; the message is shown to people. */
export class UnreadablePoints extends Error {
  override readonly name: string = "UnreadablePoints";
}

/** Thrown for a file that is broken, not one that nothing here draws. */
export class DamagedPoints extends UnreadablePoints {
  override readonly name = "DamagedPoints";
}

/** Where the points of a file lie, as its header says. */
export interface PointsPlace {
  encoding: "text" | "packed" | "compressed";
  /** How many there are. */
  points: number;
  /** Bytes of a point. */
  stride: number;
  /** Where they begin. */
  end: number;
}

const endsAfter = (total: number, present: number): DamagedPoints =>
  new DamagedPoints(
    `The file says ${total.toLocaleString("en")} points but ends after ${Math.max(0, present).toLocaleString("en")}.`,
  );

/** Throws a `DamagedPoints` when a file of `size` bytes ends before the points that it packs. */
export function requirePacked({ points, stride, end }: Omit<PointsPlace, "encoding">, size: number): void {
  const present = stride === 0 ? 0 : Math.floor((size - end) / stride);
  if (present < points) throw endsAfter(points, present);
}

/** Throws a `DamagedPoints` when a text of points has fewer `lines` than points. */
export function requireLines(points: number, lines: number): void {
  if (lines < points) throw endsAfter(points, lines);
}

/** Throws a `DamagedPoints` when a file of `size` bytes ends before its compressed points, whose sizes are at `end`. */
export function requireCompressed(
  { points, stride, end }: Omit<PointsPlace, "encoding">,
  sizes: DataView | null,
  size: number,
): void {
  if (!sizes || sizes.getUint32(4, true) < points * stride || end + 8 + sizes.getUint32(0, true) > size)
    throw new DamagedPoints("The file ends before its points.");
}

export const typeBytes: Readonly<Record<NumberType, number>> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
};

/** How the numbers of a point lie in a file. */
export interface PointLayout {
  /** Bytes of a point. */
  stride: number;
  fields: PackedField[];
  isLittleEndian: boolean;
}

/** Every which point is read so that no more than `maxPoints` are. */
export const findStep = (total: number, maxPoints: number): number => Math.max(1, Math.ceil(total / maxPoints));

export const createCloud = (layout: PointLayout, count: number, data: Uint8Array): Cloud => ({
  kind: "cloud",
  frame: "",
  stamp: null,
  pose: identity,
  count,
  ...layout,
  data,
});

/** Points as a file packs them, one behind the other from `offset` on. Throws when the file ends before they do. */
export function readPacked(
  bytes: Uint8Array,
  offset: number,
  total: number,
  layout: PointLayout,
  maxPoints: number,
): FileCloud {
  const { stride } = layout;
  requirePacked({ points: total, stride, end: offset }, bytes.length);
  const step = findStep(total, maxPoints);
  const count = Math.ceil(total / step);
  // A copy in any case: the numbers of the original may lie at odd places, where the graphics card cannot read them.
  const data = new Uint8Array(count * stride);
  if (step === 1) data.set(bytes.subarray(offset, offset + count * stride));
  else
    for (let point = 0; point < count; point++) {
      const from = offset + point * step * stride;
      data.set(bytes.subarray(from, from + stride), point * stride);
    }
  return { cloud: createCloud(layout, count, data), total, step };
}

const writers: Readonly<Record<NumberType, (view: DataView, at: number, value: number) => void>> = {
  int8: (view, at, value) => view.setInt8(at, value),
  uint8: (view, at, value) => view.setUint8(at, value),
  int16: (view, at, value) => view.setInt16(at, value, true),
  uint16: (view, at, value) => view.setUint16(at, value, true),
  int32: (view, at, value) => view.setInt32(at, value, true),
  uint32: (view, at, value) => view.setUint32(at, value, true),
  float32: (view, at, value) => view.setFloat32(at, value, true),
  float64: (view, at, value) => view.setFloat64(at, value, true),
};

/** Points that a file writes as text, one a line. `columns`: the number of the value of each field in its line. */
export function readLines(
  lines: Iterable<string>,
  total: number,
  { stride, fields }: PointLayout,
  columns: readonly number[],
  maxPoints: number,
): FileCloud {
  const step = findStep(total, maxPoints);
  const count = Math.ceil(total / step);
  const data = new Uint8Array(count * stride);
  const view = new DataView(data.buffer);
  let [line, point] = [0, 0];
  for (const text of lines) {
    if (line >= total) break;
    if (text.trim() === "") continue;
    if (line++ % step !== 0) continue;
    const values = text.trim().split(/\s+/);
    for (const [at, field] of fields.entries())
      writers[field.type](view, point * stride + field.offset, Number(values[columns[at] ?? 0] ?? Number.NaN));
    point += 1;
  }
  requireLines(total, line);
  return { cloud: createCloud({ stride, fields, isLittleEndian: true }, count, data), total, step };
}

/** The lines of a text in bytes, without holding all of them. */
export function* listLines(bytes: Uint8Array, from: number): Generator<string> {
  const decoder = new TextDecoder("latin1");
  let start = from;
  while (start < bytes.length) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    yield decoder.decode(bytes.subarray(start, end));
    start = end + 1;
  }
}
