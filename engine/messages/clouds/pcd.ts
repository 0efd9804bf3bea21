import type { Cloud, NumberType, PackedField } from "@/engine/messages/scene-object";

/** Bytes of a number, and what PCD calls its kind: signed, unsigned or floating point. */
const pcdTypes: Readonly<Record<NumberType, { size: number; kind: "I" | "U" | "F" }>> = {
  int8: { size: 1, kind: "I" },
  uint8: { size: 1, kind: "U" },
  int16: { size: 2, kind: "I" },
  uint16: { size: 2, kind: "U" },
  int32: { size: 4, kind: "I" },
  uint32: { size: 4, kind: "U" },
  float32: { size: 4, kind: "F" },
  float64: { size: 8, kind: "F" },
};

/** Names stand between spaces in the header. */
const toName = ({ name }: PackedField, at: number): string => name.replaceAll(/\s+/g, "_") || `field_${at}`;

/** A cloud as a binary PCD file of version 0.7: every field of its points as it is, its pose as the viewpoint, its rows. */
export function encodePcd(cloud: Cloud): Uint8Array<ArrayBuffer> {
  const { fields, count, rows = 1, pose } = cloud;
  const types = fields.map(({ type }) => pcdTypes[type]);
  const [x, y, z, w] = pose.orientation;
  const header = [
    "# .PCD v0.7 - Point Cloud Data file format",
    "VERSION 0.7",
    `FIELDS ${fields.map(toName).join(" ")}`,
    `SIZE ${types.map(({ size }) => size).join(" ")}`,
    `TYPE ${types.map(({ kind }) => kind).join(" ")}`,
    `COUNT ${types.map(() => 1).join(" ")}`,
    `WIDTH ${count / rows}`,
    `HEIGHT ${rows}`,
    `VIEWPOINT ${[...pose.position, w, x, y, z].join(" ")}`,
    `POINTS ${count}`,
    "DATA binary",
    "",
  ].join("\n");
  const head = new TextEncoder().encode(header);
  const size = types.reduce((sum, type) => sum + type.size, 0);
  const file = new Uint8Array(head.length + size * count);
  file.set(head);
  copyPoints(cloud, types, file.subarray(head.length));
  return file;
}

/** Copies the fields of each point one after another, their bytes in the order of PCD: the lowest first. */
function copyPoints(cloud: Cloud, types: readonly { size: number }[], into: Uint8Array): void {
  const { data, count, stride, fields, isLittleEndian } = cloud;
  for (let point = 0, from = 0, to = 0; point < count; point++, from += stride) {
    for (let field = 0; field < fields.length; field++) {
      const { size } = types[field]!;
      const at = from + fields[field]!.offset;
      for (let byte = 0; byte < size; byte++)
        into[to + byte] = data[isLittleEndian ? at + byte : at + size - 1 - byte]!;
      to += size;
    }
  }
}
