import { compileReader, type Encoding, type Pick } from "@/engine/decode/compile";
import { createDecoder, orSchemaMismatch } from "@/engine/decode/decode";
import {
  listFields,
  joinPath,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FIELDS,
  MAX_VISITS,
  structFields,
  type FieldInfo,
} from "@/engine/decode/fields";
import type { StructType } from "@/engine/decode/message-type";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import { ProtoType, type ProtoMessage } from "@/engine/decode/proto-schema";
import { isTime, ProtoDecoder, type Wanted } from "@/engine/decode/protobuf";
import type { Channel } from "@/engine/formats/recording";

/** Reads the scalars of one channel's messages for the series, without building the objects around them. */
export interface FieldReader {
  /** The field of each slot. Grows as fields appear in the data; a slot never changes its meaning. */
  readonly fields: readonly FieldInfo[];
  /** Numbers of the message read last, by slot: 64-bit integers as the nearest double, NaN where there is none. */
  readonly values: Float64Array;
  /** Booleans, texts and enums (the name of a value where it has one) of that message by slot, else undefined. */
  readonly states: readonly (boolean | string | number | undefined)[];
  /** Reads one message. Throws a RecordingError for a payload that does not match the schema. */
  read(data: Uint8Array): void;
}

/** A reader of decoded objects also knows which fields the message has, and its 64-bit integers exactly. */
export interface ObjectFields extends FieldReader {
  readonly wide: readonly bigint[];
  has(slot: number): boolean;
}

/**
 * Creates the field reader of a channel. Times are left out, because they are not plotted. Arrays of unknown length are
 * included while they hold at most 16 values. Throws a RecordingError when the schema cannot be used.
 */
export function createFieldReader(channel: Channel): FieldReader {
  const payload = getPayloadType(channel);
  if (payload.kind === "struct") return structReader(payload.type, payload.encoding);
  const known = new Map(listFields(channel).map((field) => [field.path, field]));
  const walk = new ObjectWalk(known);
  if (payload.kind === "protobuf") {
    const decoder = new ProtoDecoder(payload.type, selectScalars(payload.type));
    walk.decode = (data) => orSchemaMismatch(() => decoder.decode(data));
  } else {
    const decoder = createDecoder(channel);
    walk.decode = (data) => decoder.decode(data);
  }
  return walk;
}

function structReader(type: StructType, encoding: Encoding): FieldReader {
  const leaves = structFields(type).filter(({ info }) => info.kind !== "time");
  const fields = leaves.map(({ info }) => info);
  const picks: Pick[] = leaves.map(({ steps }, slot) => ({ steps, slot }));
  const cursor = encoding === "ros1" ? new Ros1Cursor() : new CdrCursor();
  const pick = compileReader(type, encoding, picks, fields.length);
  const named = fields.flatMap(({ enumValues }, slot) => (enumValues === undefined ? [] : [{ slot, enumValues }]));
  const variable = leaves.some((leaf) => leaf.variable);
  const values = new Float64Array(fields.length).fill(NaN);
  const states = new Array<boolean | string | number | undefined>(fields.length).fill(undefined);
  const read = (data: Uint8Array): void => {
    if (variable) {
      values.fill(NaN);
      states.fill(undefined);
    }
    cursor.reset(data);
    pick(cursor, values, states);
    for (const { slot, enumValues } of named) states[slot] = enumValues[values[slot]!] ?? values[slot];
  };
  return { fields, values, states, read: (data) => orSchemaMismatch(() => read(data)) };
}

/** The fields of a protobuf message that have to be decoded for its scalars. */
function selectScalars(root: ProtoMessage): Wanted {
  let visits = 0;
  const visit = (type: ProtoMessage, above: readonly ProtoMessage[]): Wanted => {
    const wanted = new Map<string, Wanted | null>();
    for (const field of type.fields) {
      if (field.type === ProtoType.bytes) continue;
      if (field.message === null) wanted.set(field.name, null);
      else if (
        !field.repeated &&
        !isTime(field.message) &&
        above.length < MAX_DEPTH &&
        !above.includes(field.message)
      ) {
        visits += 1;
        if (visits < MAX_VISITS) wanted.set(field.name, visit(field.message, [...above, field.message]));
      }
    }
    return wanted;
  };
  return visit(root, [root]);
}

/** A place in the objects of a channel: its slot when scalars were seen there, and the places below it. */
interface Place {
  path: string;
  depth: number;
  slot: number;
  enumValues: Record<number, string> | undefined;
  below: Map<string | number, Place>;
}

/** Reads the scalars of decoded objects, assigning a slot to each path when it first appears. */
class ObjectWalk implements ObjectFields {
  readonly fields: FieldInfo[] = [];
  values = new Float64Array(16).fill(NaN);
  readonly states: (boolean | string | number | undefined)[] = [];
  decode: (data: Uint8Array) => unknown = () => null;
  private readonly root: Place = { path: "", depth: 0, slot: -1, enumValues: undefined, below: new Map() };
  private places = 0;
  readonly wide: bigint[] = [];
  /** The message, by its number, that last had the field of a slot. */
  private readonly seen: number[] = [];
  private message = 0;

  constructor(private readonly known: ReadonlyMap<string, FieldInfo>) {}

  has(slot: number): boolean {
    return this.seen[slot] === this.message;
  }

  read(data: Uint8Array): void {
    this.message++;
    this.values.fill(NaN);
    this.states.fill(undefined);
    this.visit(this.decode(data), this.root);
  }

  private visit(value: unknown, place: Place): void {
    switch (typeof value) {
      case "number":
        if (place.enumValues !== undefined) this.putState(place, place.enumValues[value] ?? value, "enum");
        else this.putNumber(place, value);
        break;
      case "bigint":
        this.putNumber(place, Number(value));
        if (place.slot >= 0) this.wide[place.slot] = value;
        break;
      case "boolean":
        this.putState(place, value, "boolean");
        break;
      case "string":
        this.putState(place, value, "string");
        break;
      case "object":
        if (value !== null) this.descend(value, place);
    }
  }

  private descend(value: object, place: Place): void {
    if (place.depth >= MAX_DEPTH) return;
    if (ArrayBuffer.isView(value) || Array.isArray(value)) {
      // Bytes are blobs, and only in short lists does the position of an element have a meaning.
      if (value instanceof Uint8Array || value instanceof DataView) return;
      const list = value as ArrayLike<unknown>;
      if (list.length > MAX_ELEMENTS) return;
      for (let i = 0; i < list.length; i++) this.step(place, i, list[i]);
      return;
    }
    if (isTimeValue(value)) return;
    for (const key of Object.keys(value)) this.step(place, key, (value as Record<string, unknown>)[key]);
  }

  private step(place: Place, key: string | number, value: unknown): void {
    let next = place.below.get(key);
    if (next === undefined) {
      // Keys that never repeat (ids used as keys) must not accumulate.
      if (this.places >= 4 * MAX_FIELDS) return;
      this.places += 1;
      const path = typeof key === "number" ? `${place.path}[${key}]` : joinPath(place.path, key);
      next = { path, depth: place.depth + 1, slot: -1, enumValues: this.known.get(path)?.enumValues, below: new Map() };
      place.below.set(key, next);
    }
    this.visit(value, next);
  }

  private putNumber(place: Place, value: number): void {
    if (!this.getSlot(place, "number") || this.fields[place.slot]!.kind !== "number") return;
    this.values[place.slot] = value;
    this.seen[place.slot] = this.message;
  }

  private putState(place: Place, value: boolean | string | number, kind: FieldInfo["kind"]): void {
    if (!this.getSlot(place, kind) || this.fields[place.slot]!.kind === "number") return;
    this.states[place.slot] = value;
    this.seen[place.slot] = this.message;
  }

  /** Assigns a slot to a place unless it has one; false when there are too many. */
  private getSlot(place: Place, kind: FieldInfo["kind"]): boolean {
    if (place.slot >= 0) return true;
    if (this.fields.length >= MAX_FIELDS || place.path === "" || place.path.length > 512) return false;
    const known = this.known.get(place.path);
    place.slot = this.fields.length;
    this.fields.push({ ...known, path: place.path, kind });
    this.states.push(undefined);
    if (place.slot >= this.values.length) {
      const values = new Float64Array(this.values.length * 2).fill(NaN);
      values.set(this.values);
      this.values = values;
    }
    return true;
  }
}

function isTimeValue(value: object): boolean {
  return "sec" in value && ("nsec" in value || "nanosec" in value) && Object.keys(value).length === 2;
}
