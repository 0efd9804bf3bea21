import { utf8Text } from "@/engine/bytes";
import { findKnownFields } from "@/engine/decode/schemas/proto-known";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

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

/** The values of a map; undefined for any other field. */
export const getMapValue = ({ repeated, message }: ProtoField): ProtoField | undefined =>
  repeated && message?.isMapEntry === true ? message.byNumber.get(2) : undefined;

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

/** A message type as declared: what its fields refer to is not looked up yet. */
interface DeclaredMessage {
  name: string;
  isMapEntry: boolean;
  listFields: () => DeclaredField[];
}

type DeclaredField = Omit<ProtoField, "message" | "enumValues"> & { typeName: string };

export interface ProtoSchema {
  type: ProtoMessage;
  /** Which fields of its messages cannot be read, and why; null when all can. */
  unread: string | null;
}

/** What cannot be read is named so often at most. */
const MAX_UNREAD = 3;

/**
 * The message type named `schemaName` out of a serialized FileDescriptorSet, with all that its messages can contain.
 * Types that the set lacks are taken from protobuf's own library; a field of any other is left as bytes, and named in
 * `unread`. Parsed here, because libraries compile descriptors to code, which would contain names from uploaded files.
 */
export function parseProtoSchema(data: Uint8Array, schemaName: string): ProtoSchema {
  const { messages, enums } = readDescriptors(data);
  const opened = new Map<string, ProtoMessage>();
  const waiting: { declared: DeclaredMessage; message: ProtoMessage }[] = [];
  const unread: string[] = [];
  const open = (declared: DeclaredMessage): ProtoMessage => {
    const { name, isMapEntry } = declared;
    let message = opened.get(name);
    if (message === undefined) {
      message = { name, fields: [], byNumber: new Map(), isMapEntry };
      opened.set(name, message);
      waiting.push({ declared, message });
    }
    return message;
  };
  const addField = ({ typeName, ...declared }: DeclaredField, message: ProtoMessage): void => {
    const field: ProtoField = { ...declared, message: null, enumValues: find(enums, typeName, message.name) ?? null };
    if (field.type === ProtoType.message || field.type === ProtoType.group) {
      const name = typeName.replace(/^\./, "");
      const target = find(messages, typeName, message.name) ?? findKnown(name);
      if (target) field.message = open(target);
      else {
        unread.push(`${quoted(field.name)} of ${quoted(message.name)} is of the type ${quoted(name)}`);
        if (field.type === ProtoType.message) field.type = ProtoType.bytes;
      }
    }
    message.fields.push(field);
    message.byNumber.set(field.number, field);
  };
  const root = schemaName.replace(/^\./, "");
  const declared = messages.get(root) ?? findKnown(root);
  if (declared === undefined)
    throw new RecordingError("The protobuf schema does not define the message type it is named after.");
  const type = open(declared);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const field of next.declared.listFields()) addField(field, next.message);
  return { type, unread: describeUnread(unread) };
}

function describeUnread(unread: readonly string[]): string | null {
  if (unread.length === 0) return null;
  const more = unread.length - MAX_UNREAD;
  const named = unread.slice(0, MAX_UNREAD).join(", ");
  return `${named}${more > 0 ? `, and ${more} more are of such a type` : ""}; the schema does not define it.`;
}

/** A type of protobuf's own library. */
function findKnown(name: string): DeclaredMessage | undefined {
  const fields = findKnownFields(name);
  return (
    fields && {
      name,
      isMapEntry: name.endsWith("Entry"),
      listFields: () =>
        fields.map(({ type, typeName = "", repeated = false, presence = false, ...field }) => {
          return { ...field, type: ProtoType[type], typeName, repeated, presence };
        }),
    }
  );
}

/** Compilers write full names with a leading dot; a bare name is resolved from the innermost scope outwards. */
function find<T>(types: ReadonlyMap<string, T>, name: string, scope: string): T | undefined {
  if (name.startsWith(".")) return types.get(name.slice(1));
  for (let inner = scope; inner !== ""; inner = inner.slice(0, Math.max(0, inner.lastIndexOf(".")))) {
    const found = types.get(`${inner}.${name}`);
    if (found !== undefined) return found;
  }
  return types.get(name);
}

/** All types of a FileDescriptorSet by their full names. */
function readDescriptors(data: Uint8Array): {
  messages: Map<string, DeclaredMessage>;
  enums: Map<string, Record<number, string>>;
} {
  const messages = new Map<string, DeclaredMessage>();
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
    const listFields = () => bytesIn(raw, F.message.field).map((field) => readField(fieldsIn(field), proto3));
    messages.set(name, { name, isMapEntry, listFields });
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
  return { messages, enums };
}

function readField(field: Values, proto3: boolean): DeclaredField {
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
