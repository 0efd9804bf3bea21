import { decompressLzf } from "@/engine/messages/clouds/lzf";
import {
  findStep,
  createCloud,
  DamagedPoints,
  listLines,
  readLines,
  readPacked,
  requireCompressed,
  typeBytes,
  UnreadablePoints,
  type FileCloud,
  type PointLayout,
  type PointsPlace,
} from "@/engine/messages/clouds/points-file";
import type { NumberType, PackedField } from "@/engine/messages/scene-object";

const types: Readonly<Record<string, NumberType>> = {
  I1: "int8",
  I2: "int16",
  I4: "int32",
  U1: "uint8",
  U2: "uint16",
  U4: "uint32",
  F4: "float32",
  F8: "float64",
};

interface Header {
  layout: PointLayout;
  /** The number of the first value of each field in a line of text. */
  columns: number[];
  /** Bytes of each field of the file and of its repetitions, also of those that are not read. */
  widths: { bytes: number; offset: number }[];
  points: number;
  encoding: string;
  /** Where the points begin. */
  end: number;
}

const maxHeaderBytes = 16_384;

function readHeader(bytes: Uint8Array): Header {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, maxHeaderBytes));
  const found = /^DATA[ \t]+(\S+)[^\n]*\n/im.exec(text);
  if (!found) throw new DamagedPoints("The header of the point cloud is damaged.");
  const entries = new Map<string, string[]>();
  for (const line of text.slice(0, found.index).split(/\r?\n/)) {
    const [name = "", ...rest] = line.trim().split(/\s+/);
    if (!name.startsWith("#")) entries.set(name.toUpperCase(), rest);
  }
  const names = entries.get("FIELDS") ?? [];
  const numbers = (key: string, otherwise: number) => {
    const given = entries.get(key);
    return names.map((_, at) => (given ? Number(given[at]) : otherwise));
  };
  const [sizes, counts] = [numbers("SIZE", 4), numbers("COUNT", 1)];
  const kinds = entries.get("TYPE") ?? names.map(() => "F");
  let [offset, column] = [0, 0];
  const fields: PackedField[] = [];
  const columns: number[] = [];
  const widths: Header["widths"] = [];
  for (const [at, name] of names.entries()) {
    const [size = 0, count = 0] = [sizes[at], counts[at]];
    if (![1, 2, 4, 8].includes(size) || !Number.isInteger(count) || count < 1)
      throw new UnreadablePoints(`The field "${name}" of the point cloud has no size that is known.`);
    const type = types[`${(kinds[at] ?? "").toUpperCase()}${size}`];
    // Padding is called "_"; numbers of eight bytes without a fraction are not drawn.
    if (type !== undefined && name !== "_") {
      fields.push({ name, type, offset });
      columns.push(column);
    }
    widths.push({ bytes: size * count, offset });
    offset += size * count;
    column += count;
  }
  const only = (key: string): number => Number(entries.get(key)?.[0] ?? Number.NaN);
  const points = entries.has("POINTS") ? only("POINTS") : only("WIDTH") * only("HEIGHT");
  if (!Number.isSafeInteger(points) || points < 0)
    throw new DamagedPoints("The header of the point cloud does not say how many points there are.");
  const layout = { stride: offset, fields, isLittleEndian: true };
  const end = found.index + found[0].length;
  return { layout, columns, widths, points, encoding: (found[1] ?? "").toLowerCase(), end };
}

const encodings: Readonly<Record<string, PointsPlace["encoding"]>> = {
  ascii: "text",
  binary: "packed",
  binary_compressed: "compressed",
};

/** Where the points of a PCD file lie, by its beginning. Throws an `UnreadablePoints`. */
export function findPcdPoints(head: Uint8Array): PointsPlace {
  const { layout, points, encoding: name, end } = readHeader(head);
  const encoding = encodings[name];
  if (encoding === undefined) throw unknownEncoding(name);
  return { encoding, points, stride: layout.stride, end };
}

const unknownEncoding = (name: string) =>
  new UnreadablePoints(`The encoding "${name}" of the point cloud is not known.`);

/** The points of a PCD file, in any of its encodings; every nth when there are more than `maxPoints`. */
export function readPcd(bytes: Uint8Array, maxPoints: number): FileCloud {
  const header = readHeader(bytes);
  const { layout, points, encoding, end } = header;
  for (const name of ["x", "y", "z"])
    if (!layout.fields.some((field) => field.name === name))
      throw new UnreadablePoints(`The point cloud has no field "${name}".`);
  if (encoding === "ascii") return readText(bytes, header, maxPoints);
  if (encoding === "binary") return readPacked(bytes, end, points, layout, maxPoints);
  if (encoding === "binary_compressed") return readCompressed(bytes, header, maxPoints);
  throw unknownEncoding(encoding);
}

/** As text each field is of its own type, packed anew without what is not read. */
function readText(bytes: Uint8Array, { layout, columns, points, end }: Header, maxPoints: number): FileCloud {
  let stride = 0;
  const fields = layout.fields.map((field) => {
    const offset = Math.ceil(stride / typeBytes[field.type]) * typeBytes[field.type];
    stride = offset + typeBytes[field.type];
    return { ...field, offset };
  });
  const padded = { stride: Math.ceil(stride / 4) * 4, fields, isLittleEndian: true };
  return readLines(listLines(bytes, end), points, padded, columns, maxPoints);
}

/** Compressed points lie by field, all numbers of one after the other. */
function readCompressed(bytes: Uint8Array, { layout, widths, points, end }: Header, maxPoints: number): FileCloud {
  const { stride } = layout;
  const sizes = end + 8 > bytes.length ? null : new DataView(bytes.buffer, bytes.byteOffset + end, 8);
  requireCompressed({ points, stride, end }, sizes, bytes.length);
  const [packed = 0, length = 0] = sizes ? [sizes.getUint32(0, true), sizes.getUint32(4, true)] : [];
  const columns = decompressLzf(bytes.subarray(end + 8, end + 8 + packed), length);
  const step = findStep(points, maxPoints);
  const count = Math.ceil(points / step);
  const data = new Uint8Array(count * stride);
  for (const { bytes: width, offset } of widths) {
    const begin = offset * points;
    for (let point = 0; point < count; point++) {
      const from = begin + point * step * width;
      data.set(columns.subarray(from, from + width), point * stride + offset);
    }
  }
  return { cloud: createCloud(layout, count, data), total: points, step };
}
