import {
  DamagedPoints,
  listLines,
  readLines,
  readPacked,
  typeBytes,
  UnreadablePoints,
  type FileCloud,
  type PointLayout,
  type PointsPlace,
} from "@/engine/messages/clouds/points-file";
import type { NumberType, PackedField } from "@/engine/messages/scene-object";

const types: Readonly<Record<string, NumberType>> = {
  char: "int8",
  int8: "int8",
  uchar: "uint8",
  uint8: "uint8",
  short: "int16",
  int16: "int16",
  ushort: "uint16",
  uint16: "uint16",
  int: "int32",
  int32: "int32",
  uint: "uint32",
  uint32: "uint32",
  float: "float32",
  float32: "float32",
  double: "float64",
  float64: "float64",
};

const maxHeaderBytes = 65_536;

interface Header {
  layout: PointLayout;
  points: number;
  encoding: string;
  /** Where the points begin. */
  end: number;
}

function readHeader(bytes: Uint8Array): Header {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, maxHeaderBytes));
  const found = /^end_header[ \t]*\r?\n/m.exec(text);
  if (!text.startsWith("ply") || !found) throw new DamagedPoints("The header of the point cloud is damaged.");
  const fields: PackedField[] = [];
  let [stride, total, element, encoding, elements] = [0, 0, "", "", 0];
  for (const line of text.slice(0, found.index).split(/\r?\n/)) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "format") encoding = rest[0] ?? "";
    if (word === "element") {
      element = rest[0] ?? "";
      if (element === "vertex") total = Number(rest[1]);
      if (element === "vertex" && elements > 0) throw new UnreadablePoints("The points of the file do not come first.");
      elements += 1;
    }
    if (word !== "property" || element !== "vertex") continue;
    const type = types[rest[0] ?? ""];
    if (type === undefined) throw new UnreadablePoints(`The points have a property of the type "${rest[0] ?? ""}".`);
    fields.push({ name: rest[1] ?? "", type, offset: stride });
    stride += typeBytes[type];
  }
  if (!Number.isSafeInteger(total) || total < 0)
    throw new DamagedPoints("The header of the point cloud does not say how many points there are.");
  if (encoding !== "ascii" && !encoding.startsWith("binary_"))
    throw new UnreadablePoints(`The format "${encoding}" of the point cloud is not known.`);
  const layout: PointLayout = { stride, fields, isLittleEndian: encoding !== "binary_big_endian" };
  return { layout, points: total, encoding, end: found.index + found[0].length };
}

/** Where the points of a PLY file lie, by its beginning. Throws an `UnreadablePoints`. */
export function findPlyPoints(head: Uint8Array): PointsPlace {
  const { layout, points, encoding, end } = readHeader(head);
  return { encoding: encoding === "ascii" ? "text" : "packed", points, stride: layout.stride, end };
}

/** The points of a PLY file; every nth when there are more than `maxPoints`. Faces and edges are not read. */
export function readPly(bytes: Uint8Array, maxPoints: number): FileCloud {
  const { layout, points: total, encoding, end } = readHeader(bytes);
  const { fields } = layout;
  for (const name of ["x", "y", "z"])
    if (!fields.some((field) => field.name === name))
      throw new UnreadablePoints(`The point cloud has no property "${name}".`);
  if (encoding === "ascii")
    return readLines(
      listLines(bytes, end),
      total,
      layout,
      fields.map((_, at) => at),
      maxPoints,
    );
  return readPacked(bytes, end, total, layout, maxPoints);
}
