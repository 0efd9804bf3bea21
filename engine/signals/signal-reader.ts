import { joinPath } from "@/domain/conditions/path";
import { compileReader } from "@/engine/decode/compile";
import { orSchemaMismatch } from "@/engine/decode/decode";
import { createFieldReader, pickLeaves, type FieldReader, type ObjectFields } from "@/engine/decode/field-reader";
import { MAX_DEPTH, structFields, type FieldInfo } from "@/engine/decode/fields";
import { KeptLists } from "@/engine/decode/kept-lists";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType, type PayloadType } from "@/engine/decode/payload-type";
import { findProtoField } from "@/engine/decode/proto-fields";
import {
  FlatBase,
  type FlatField,
  type FlatObject,
  type FlatSchema,
  type FlatType,
} from "@/engine/decode/schemas/flatbuffer-type";
import type { ScalarType, StructType } from "@/engine/decode/schemas/message-type";
import { once, oncePerType } from "@/engine/decode/schemas/plan-budget";
import { ProtoType } from "@/engine/decode/schemas/proto-schema";
import { isWholeTime, listSlots, toNanoseconds } from "@/engine/decode/time-parts";
import type { UnpackMessage } from "@/engine/formats/packed-message";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { SignalType } from "@/engine/signals/signal-types";

/** Reads the signals of one channel's messages: numbers in their own types, times, booleans and enums. */
export interface SignalReader {
  /**
   * The field of each slot, and its type; null for what is no signal. `inList`: messages may lack it, since it is an element
   * of a list. Grows as fields appear in the data.
   */
  readonly fields: readonly { path: string; type: SignalType | null; inList: boolean }[];
  /** Numbers of the message read last, by slot; of 64-bit integers and of times, `wide` has the exact value. */
  readonly values: Float64Array;
  readonly wide: readonly bigint[];
  /** Booleans, and enums as their names or as numbers without one. */
  readonly states: readonly (boolean | string | number | undefined)[];
  /** Whether that message has the field of a slot. */
  has(slot: number): boolean;
  /** Reads one message. Throws a RecordingError for a payload that does not match the schema. */
  read(data: Uint8Array): void;
}

/**
 * Creates the signal reader of a channel. `fields`: the field reader that reads all of its messages, whose slots the
 * signals then have, too; else one of its own. Throws a RecordingError when the schema cannot be used.
 */
export function createSignalReader(channel: Channel, fields?: FieldReader): SignalReader {
  const payload = getPayloadType(channel);
  const own = fields ?? createFieldReader(channel);
  if (payload.kind === "struct") return structReader(payload, own, channel.unpack);
  return objectReader(payload, own as ObjectFields);
}

/** A bit pattern that no message is likely to have: marks the slots that a message leaves alone. */
const absent = 0x7ff8_dead;

/** Keeps the 64-bit integers read, in the order of their slots, beside their nearest doubles. */
class ExactRos1Cursor extends Ros1Cursor {
  readonly exact: bigint[] = [];
  override int64Number(): number {
    return this.keep(this.int64());
  }
  override uint64Number(): number {
    return this.keep(this.uint64());
  }
  private keep(value: bigint): number {
    this.exact.push(value);
    return Number(value);
  }
}
class ExactCdrCursor extends CdrCursor {
  readonly exact: bigint[] = [];
  override int64Number(): number {
    return this.keep(this.int64());
  }
  override uint64Number(): number {
    return this.keep(this.uint64());
  }
  private keep(value: bigint): number {
    this.exact.push(value);
    return Number(value);
  }
}

function structReader(
  { type, encoding }: { type: StructType; encoding: "ros1" | "cdr" },
  channelFields: FieldReader,
  unpack?: UnpackMessage,
): SignalReader {
  const lists = channelFields.lists ?? new KeptLists(0);
  const leaves = structFields(type).filter(({ info }) => info.kind !== "string");
  const slots = leaves.flatMap(({ info, steps, list }) =>
    listSlots(info).map((own) => ({ info: own, steps, inList: list >= 0 })),
  );
  const fields = slots.map(({ info, steps, inList }) => ({
    path: info.path,
    type: structSignal(info, type, steps),
    inList,
  }));
  const picks = pickLeaves(leaves);
  const timeSlots = slots.flatMap(({ info }, slot) => (info.kind === "time" && !info.isFraction ? [slot] : []));
  const wideSlots = fields.flatMap(({ type: own }, slot) =>
    (own === "int64" || own === "uint64") && slots[slot]!.info.kind !== "time" ? [slot] : [],
  );
  const cursor = encoding === "ros1" ? new ExactRos1Cursor() : new ExactCdrCursor(unpack);
  const { exact } = cursor;
  // With the first message: most topics are read into columns.
  const pick = once(() => compileReader(type, encoding, picks, fields.length, lists));
  const named = slots.flatMap(({ info }, slot) =>
    info.enumValues === undefined ? [] : [{ slot, enumValues: info.enumValues }],
  );
  const values = new Float64Array(fields.length);
  const bits = new Uint32Array(values.buffer);
  const states = new Array<boolean | string | number | undefined>(fields.length).fill(undefined);
  const wide: bigint[] = new Array<bigint>(fields.length).fill(0n);
  const marks = new Uint32Array(fields.length * 2).fill(absent);
  const isState = fields.map(({ type: own }) => own === "bool");
  const has = (slot: number): boolean =>
    isState[slot] ? states[slot] !== undefined : bits[2 * slot + 1] !== absent || bits[2 * slot] !== absent;
  const read = (data: Uint8Array): void => {
    if (!lists.decided) decideBy(channelFields, data);
    if (lists.lengths.length > 0) {
      bits.set(marks);
      states.fill(undefined);
    }
    exact.length = 0;
    cursor.reset(data);
    pick()(cursor, values, states);
    let next = 0;
    for (const slot of wideSlots) if (has(slot)) wide[slot] = exact[next++] ?? 0n;
    for (const slot of timeSlots) if (has(slot)) wide[slot] = toNanoseconds(values[slot]!, values[slot + 1]!);
    for (const { slot, enumValues } of named) {
      states[slot] = has(slot) ? (enumValues[values[slot]!] ?? values[slot]) : undefined;
    }
  };
  return { fields, values, wide, states, has, read: (data) => orSchemaMismatch(() => read(data)) };
}

/** Lets a message say which lists are kept, where all of its fields can be read. */
function decideBy(fields: FieldReader, data: Uint8Array): void {
  try {
    fields.read(data);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  }
}

function structSignal(info: FieldInfo, root: StructType, steps: readonly number[]): SignalType | null {
  if (info.kind === "enum") return "enum";
  if (info.kind === "time") return timeSignal(info);
  let type: ScalarType | StructType = root;
  for (let at = 0; at < steps.length && typeof type !== "string"; at++) {
    const field: StructType["fields"][number] = type.fields[steps[at]!]!;
    type = field.type;
    if (field.array !== null) at++;
  }
  return typeof type === "string" ? scalarSignal(type) : null;
}

/** Of the two slots of a time, the first stands for all of it. */
const timeSignal = ({ isFraction }: FieldInfo): SignalType | null => (isFraction ? null : "int64");

function scalarSignal(type: ScalarType): SignalType | null {
  return type === "string" || type === "time" || type === "duration" ? null : type;
}

const protoSignals: Partial<Record<number, SignalType>> = {
  [ProtoType.double]: "float64",
  [ProtoType.float]: "float32",
  [ProtoType.int64]: "int64",
  [ProtoType.sint64]: "int64",
  [ProtoType.sfixed64]: "int64",
  [ProtoType.uint64]: "uint64",
  [ProtoType.fixed64]: "uint64",
  [ProtoType.int32]: "int32",
  [ProtoType.sint32]: "int32",
  [ProtoType.sfixed32]: "int32",
  [ProtoType.uint32]: "uint32",
  [ProtoType.fixed32]: "uint32",
  [ProtoType.bool]: "bool",
  [ProtoType.enum]: "enum",
};

/** The field on the way to a path, and the path so far; undefined where none of the fields leads there. */
function findField<F extends { name: string }>(fields: readonly F[], prefix: string, path: string) {
  return fields
    .map((field) => ({ own: joinPath(prefix, field.name), field }))
    .find(({ own }) => path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`));
}

const flatSignals: Partial<Record<number, SignalType>> = {
  [FlatBase.unionType]: "uint8",
  [FlatBase.byte]: "int8",
  [FlatBase.ubyte]: "uint8",
  [FlatBase.short]: "int16",
  [FlatBase.ushort]: "uint16",
  [FlatBase.int]: "int32",
  [FlatBase.uint]: "uint32",
  [FlatBase.long]: "int64",
  [FlatBase.ulong]: "uint64",
  [FlatBase.float]: "float32",
  [FlatBase.double]: "float64",
};

/** The type of the number at a path of a FlatBuffer; null for what is no signal, and within unions. */
function flatSignal({ objects, root }: FlatSchema, path: string): SignalType | null {
  let type: FlatObject | undefined = root;
  let prefix = "";
  for (let depth = 0; type !== undefined && depth <= MAX_DEPTH; depth++) {
    const below: { own: string; field: FlatField } | undefined = findField(type.fields, prefix, path);
    if (!below) return null;
    const { base, element, index }: FlatType = below.field.type;
    const own = base === FlatBase.vector || base === FlatBase.array ? element : base;
    if (own !== FlatBase.object) return flatSignals[own] ?? null;
    [prefix, type] = [below.own, objects[index ?? -1]];
  }
  return null;
}

/** The types of a channel's signals. */
interface SignalTypes {
  /** The type of a field; null for what is no signal. */
  find: (field: FieldInfo) => SignalType | null;
  /** Whether every message has the fields that the schema lists, up to the lengths of lists. */
  listed: boolean;
}

/** The types of the signals of a channel. Throws a RecordingError when the schema cannot be used. */
export function createSignalTypes(channel: Channel): SignalTypes {
  const payload = getPayloadType(channel);
  if (payload.kind !== "struct") return { find: createObjectTypes(payload), listed: false };
  const types = listStructTypes(payload.type);
  return { find: (field) => (field.isFraction ? null : (types.get(field.path) ?? null)), listed: true };
}

const listStructTypes = oncePerType(
  (type: StructType): ReadonlyMap<string, SignalType | null> =>
    new Map(structFields(type).map(({ info, steps }) => [info.path, structSignal(info, type, steps)])),
);

function createObjectTypes(payload: PayloadType): (field: FieldInfo) => SignalType | null {
  const structs = payload.kind === "omgidl" || payload.kind === "wide" ? listStructTypes(payload.type) : null;
  const getNumberType = (path: string): SignalType | null => {
    if (payload.kind === "protobuf") return protoSignals[findProtoField(payload.type, path)?.field.type ?? 0] ?? null;
    if (payload.kind === "flatbuffer") return flatSignal(payload.type, path);
    return structs?.get(path) ?? null;
  };
  return (field) => {
    const { path, kind } = field;
    if (kind === "time") return timeSignal(field);
    if (kind === "enum") return "enum";
    if (kind === "boolean") return "bool";
    if (kind !== "number") return null;
    return getNumberType(path) ?? "float64";
  };
}

/** Protobuf, FlatBuffers, JSON and DDS types by way of the objects they decode to. */
function objectReader(payload: PayloadType, objects: ObjectFields): SignalReader {
  const getType = createObjectTypes(payload);
  const fields: { path: string; type: SignalType | null; inList: boolean }[] = [];
  return {
    fields,
    get values() {
      return objects.values;
    },
    wide: objects.wide,
    states: objects.states,
    has: (slot) =>
      objects.has(slot) &&
      (objects.fields[slot]!.kind !== "time" || isWholeTime(objects.values[slot]!, objects.values[slot + 1]!)),
    read: (data) => {
      objects.read(data);
      for (let slot = fields.length; slot < objects.fields.length; slot++) {
        const field = objects.fields[slot]!;
        fields.push({ path: field.path, type: getType(field), inList: false });
      }
    },
  };
}
