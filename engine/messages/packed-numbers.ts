import { toDataView } from "@/engine/bytes";
import type { Notes } from "@/engine/messages/notes";
import { readFields, readList, readNumber, readText, UnreadableMessage, type Fields } from "@/engine/messages/reading";
import type { NumberType, PackedField } from "@/engine/messages/scene-object";

const numberBytes: Readonly<Record<NumberType, number>> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
};

/** The types by their number: ROS counts signed before unsigned, Foxglove unsigned before signed. */
const rosTypes: readonly NumberType[] = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"];
const foxgloveTypes: readonly NumberType[] = [
  "uint8",
  "int8",
  "uint16",
  "int16",
  "uint32",
  "int32",
  "float32",
  "float64",
];

const dialects = {
  ros: { member: "datatype", types: rosTypes },
  foxglove: { member: "type", types: foxgloveTypes },
} as const;

function readType(fields: Fields, name: string, dialect: keyof typeof dialects): NumberType {
  const { member, types } = dialects[dialect];
  const type = fields[member];
  const named = typeof type === "string" ? types.find((each) => each === type.toLowerCase()) : undefined;
  const found = named ?? types[readNumber(fields, member) - 1];
  if (found === undefined) throw new UnreadableMessage(`The field "${name}" has the unknown type ${String(type)}.`);
  return found;
}

/** The fields that a message says its points or cells have. Throws when one is not within `stride` bytes. */
export function readPackedFields(
  message: Fields,
  stride: number,
  dialect: keyof typeof dialects,
  notes: Notes,
): PackedField[] {
  const list = readList(message, "fields");
  if (list.length > 256) throw new UnreadableMessage(`The message has ${list.length} fields; at most 256 are read.`);
  return Array.from(list, (each) => {
    const fields = readFields(each);
    const name = readText(fields, "name");
    const offset = readNumber(fields, "offset");
    const type = readType(fields, name, dialect);
    const count = dialect === "ros" && fields.count !== undefined ? Math.max(1, readNumber(fields, "count")) : 1;
    if (count > 1) notes.add(`of the ${count} values of "${name}" the first is used`);
    const end = offset + numberBytes[type] * count;
    if (!Number.isInteger(offset) || offset < 0 || end > stride)
      throw new UnreadableMessage(`The field "${name}" ends at byte ${end} of ${stride}.`);
    return { name, offset, type };
  });
}

/** What reads a field of the point that begins at a byte. */
export function createFieldReader(
  data: Uint8Array,
  { offset, type }: PackedField,
  isLittleEndian: boolean,
): (at: number) => number {
  const view = toDataView(data);
  switch (type) {
    case "int8":
      return (at) => view.getInt8(at + offset);
    case "uint8":
      return (at) => view.getUint8(at + offset);
    case "int16":
      return (at) => view.getInt16(at + offset, isLittleEndian);
    case "uint16":
      return (at) => view.getUint16(at + offset, isLittleEndian);
    case "int32":
      return (at) => view.getInt32(at + offset, isLittleEndian);
    case "uint32":
      return (at) => view.getUint32(at + offset, isLittleEndian);
    case "float32":
      return (at) => view.getFloat32(at + offset, isLittleEndian);
    case "float64":
      return (at) => view.getFloat64(at + offset, isLittleEndian);
  }
}
