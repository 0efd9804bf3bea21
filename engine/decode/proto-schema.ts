import { utf8Text } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";

/** Field types by their number in a descriptor. */
export const ProtoType = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  group: 10,
  message: 11,
  bytes: 12,
  uint32: 13,
  enum: 14,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
} as const;

export interface ProtoField {
  name: string;
  number: number;
  type: number;
  repeated: boolean;
  /** Absent values differ from zero: message fields, `optional`, members of a oneof, all of proto2. */
  presence: boolean;
  message: ProtoMessage | null;
  enumValues: Record<number, string> | null;
}

export interface ProtoMessage {
  /** Full name without the leading dot. */
  name: string;
  fields: ProtoField[];
  byNumber: Map<number, ProtoField>;
  isMapEntry: boolean;
}

/** Field numbers of descriptor.proto, as far as they matter here. */
const F = {
  set: { file: 1 },
  file: { package: 2, message: 4, enum: 5, syntax: 12, edition: 14 },
  message: { name: 1, field: 2, nested: 3, enum: 4, options: 7 },
  options: { mapEntry: 7 },
  field: { name: 1, number: 3, label: 4, type: 5, typeName: 6, oneof: 9, optional3: 17 },
  enum: { name: 1, value: 2 },
  enumValue: { name: 1, number: 2 },
} as const;

const REPEATED = 3;
const MAX_TYPES = 20_000;

type Values = Map<number, (number | Uint8Array)[]>;

/**
 * The message type named `schemaName` out of a serialized FileDescriptorSet. Parsed here, because libraries
 * compile descriptors to code, which would contain names from uploaded files.
 */
export function parseProtoSchema(data: Uint8Array, schemaName: string): ProtoMessage {
  const messages = new Map<string, { message: ProtoMessage; raw: Values; proto3: boolean }>();
  const enums = new Map<string, Record<number, string>>();

  const addEnum = (bytes: Uint8Array, scope: string): void => {
    const values = fieldsIn(bytes);
    const names: Record<number, string> = {};
    for (const value of bytesIn(values, F.enum.value)) {
      const entry = fieldsIn(value);
      names[numberIn(entry, F.enumValue.number) ?? 0] ??= textIn(entry, F.enumValue.name);
    }
    enums.set(`${scope}${textIn(values, F.enum.name)}`, names);
  };
  const addMessage = (bytes: Uint8Array, scope: string, proto3: boolean, depth: number): void => {
    if (depth > 32 || messages.size > MAX_TYPES) throw new RecordingError("The protobuf schema holds too many types.");
    const raw = fieldsIn(bytes);
    const name = `${scope}${textIn(raw, F.message.name)}`;
    const options = bytesIn(raw, F.message.options)[0];
    const isMapEntry = options !== undefined && numberIn(fieldsIn(options), F.options.mapEntry) === 1;
    messages.set(name, { message: { name, fields: [], byNumber: new Map(), isMapEntry }, raw, proto3 });
    for (const nested of bytesIn(raw, F.message.nested)) addMessage(nested, `${name}.`, proto3, depth + 1);
    for (const nested of bytesIn(raw, F.message.enum)) addEnum(nested, `${name}.`);
  };
  for (const bytes of bytesIn(fieldsIn(data), F.set.file)) {
    const file = fieldsIn(bytes);
    const prefix = textIn(file, F.file.package);
    const scope = prefix === "" ? "" : `${prefix}.`;
    const proto3 = textIn(file, F.file.syntax) === "proto3";
    for (const message of bytesIn(file, F.file.message)) addMessage(message, scope, proto3, 0);
    for (const entry of bytesIn(file, F.file.enum)) addEnum(entry, scope);
  }
  // Compilers write full names with a leading dot; a bare name is resolved from the innermost scope outwards.
  const find = <T>(types: ReadonlyMap<string, T>, name: string, scope: string): T | undefined => {
    if (name.startsWith(".")) return types.get(name.slice(1));
    for (let inner = scope; inner !== ""; inner = inner.slice(0, Math.max(0, inner.lastIndexOf(".")))) {
      const found = types.get(`${inner}.${name}`);
      if (found !== undefined) return found;
    }
    return types.get(name);
  };
  for (const { message, raw, proto3 } of messages.values()) {
    for (const bytes of bytesIn(raw, F.message.field)) {
      const field = readField(fieldsIn(bytes), proto3);
      const { typeName, ...rest } = field;
      const target = find(messages, typeName, message.name)?.message ?? null;
      if (target === null && (field.type === ProtoType.message || field.type === ProtoType.group)) {
        throw new RecordingError("The protobuf schema refers to a type it does not define.");
      }
      const complete = { ...rest, message: target, enumValues: find(enums, typeName, message.name) ?? null };
      message.fields.push(complete);
      message.byNumber.set(complete.number, complete);
    }
  }
  const root = messages.get(schemaName.replace(/^\./, ""));
  if (root === undefined)
    throw new RecordingError("The protobuf schema does not define the message type it is named after.");
  return root.message;
}

function readField(field: Values, proto3: boolean): Omit<ProtoField, "message" | "enumValues"> & { typeName: string } {
  const type = numberIn(field, F.field.type) ?? 0;
  const explicit = !proto3 || numberIn(field, F.field.optional3) === 1 || field.has(F.field.oneof);
  return {
    name: textIn(field, F.field.name),
    number: numberIn(field, F.field.number) ?? 0,
    type,
    repeated: numberIn(field, F.field.label) === REPEATED,
    presence: explicit || type === ProtoType.message || type === ProtoType.group,
    typeName: textIn(field, F.field.typeName),
  };
}

/** The fields of one serialized message by number; varints as numbers, length-delimited ones as bytes. */
function fieldsIn(bytes: Uint8Array): Values {
  const values: Values = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let low = 0;
    for (let shift = 1, i = 0; i < 10; i++, shift *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * shift;
      low |= i < 5 ? (byte & 0x7f) << (7 * i) : 0;
      // Ten bytes are a negative number, of which a double would lose the lower half.
      if (byte < 0x80) return i === 9 ? low : value;
    }
    throw new RecordingError("The protobuf schema is damaged.");
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    let value: number | Uint8Array;
    if (tag % 8 === 0) value = varint();
    else if (tag % 8 === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new RecordingError("The protobuf schema is damaged.");
      value = bytes.subarray(at, at + length);
      at += length;
    } else if (tag % 8 === 1 || tag % 8 === 5) {
      at += tag % 8 === 1 ? 8 : 4;
      continue;
    } else throw new RecordingError("The protobuf schema is damaged.");
    const list = values.get(number);
    if (list === undefined) values.set(number, [value]);
    else list.push(value);
  }
  return values;
}

function bytesIn(values: Values, number: number): Uint8Array[] {
  return (values.get(number) ?? []).filter((value) => typeof value !== "number");
}

function numberIn(values: Values, number: number): number | undefined {
  const value = values.get(number)?.at(-1);
  return typeof value === "number" ? value : undefined;
}

function textIn(values: Values, number: number): string {
  const value = values.get(number)?.at(-1);
  return value === undefined || typeof value === "number" ? "" : utf8Text(value);
}
