import { compileReader, type FieldValue, type Pick } from "@/server/recordings/compile";
import { createDecoder, guarded } from "@/server/recordings/decode";
import {
  fieldsOf,
  joinPath,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FIELDS,
  MAX_VISITS,
  structFields,
  type FieldInfo,
} from "@/server/recordings/fields";
import { CdrCursor, Ros1Cursor } from "@/server/recordings/payload-cursor";
import { payloadTypeOf } from "@/server/recordings/payload-type";
import { ProtoType, type ProtoMessage } from "@/server/recordings/proto-schema";
import { isTime, ProtoDecoder, type Wanted } from "@/server/recordings/protobuf";
import type { Channel } from "@/server/recordings/reader";

export type { FieldValue } from "@/server/recordings/compile";

/** Reads the scalars of one channel's messages for the series, without building the objects around them. */
export interface FieldReader {
  /** What each slot holds. Grows while fields show up in the data; a slot never changes its meaning. */
  readonly fields: readonly FieldInfo[];
  /**
   * The values of one message by slot: numbers (64-bit integers as the nearest one), booleans, strings, and the name of
   * an enum's value where it has one; undefined where the message has none. The array is reused by the next call.
   * Throws a RecordingError for a payload that does not match the schema.
   */
  read(data: Uint8Array): readonly FieldValue[];
}

/**
 * Makes the field reader of a channel. Times are left out: they are no quantity to plot. Arrays of unknown length take
 * part while they hold at most 16 values. Throws a RecordingError when the schema cannot be used.
 */
export function createFieldReader(channel: Channel): FieldReader {
  const payload = payloadTypeOf(channel);
  if (payload.kind === "struct") {
    const leaves = structFields(payload.type).filter(({ info }) => info.kind !== "time");
    const fields = leaves.map(({ info }) => info);
    const picks: Pick[] = leaves.map(({ steps }, slot) => ({ steps, slot }));
    const cursor = payload.encoding === "ros1" ? new Ros1Cursor() : new CdrCursor();
    const pick = compileReader(payload.type, payload.encoding, picks, fields.length);
    const named = fields.flatMap(({ enumValues }, slot) => (enumValues === undefined ? [] : [{ slot, enumValues }]));
    const variable = leaves.some((leaf) => leaf.variable);
    const out = new Array<FieldValue>(fields.length).fill(undefined);
    return {
      fields,
      read: (data) =>
        guarded(() => {
          if (variable) out.fill(undefined);
          cursor.reset(data);
          pick(cursor, out);
          for (const { slot, enumValues } of named) out[slot] = enumValues[out[slot] as number] ?? out[slot];
          return out;
        }),
    };
  }
  const known = new Map(fieldsOf(channel).map((field) => [field.path, field]));
  const walk = new ObjectWalk(known);
  if (payload.kind === "protobuf") {
    const decoder = new ProtoDecoder(payload.type, scalarsOf(payload.type));
    return { fields: walk.fields, read: (data) => walk.read(guarded(() => decoder.decode(data))) };
  }
  const decoder = createDecoder(channel);
  return { fields: walk.fields, read: (data) => walk.read(decoder.decode(data)) };
}

/** What of a protobuf message is worth decoding for its scalars. */
function scalarsOf(root: ProtoMessage): Wanted {
  let visits = 0;
  const visit = (type: ProtoMessage, above: readonly ProtoMessage[]): Wanted => {
    const wanted = new Map<string, Wanted | null>();
    for (const field of type.fields) {
      if (field.type === ProtoType.bytes) continue;
      if (field.message === null) wanted.set(field.name, null);
      else if (!field.repeated && !isTime(field.message) && above.length < MAX_DEPTH && !above.includes(field.message)) {
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

/** Reads the scalars of decoded objects, giving a slot to each path when it first shows up. */
class ObjectWalk {
  readonly fields: FieldInfo[] = [];
  private readonly out: FieldValue[] = [];
  private readonly root: Place = { path: "", depth: 0, slot: -1, enumValues: undefined, below: new Map() };
  private places = 0;

  constructor(private readonly known: ReadonlyMap<string, FieldInfo>) {}

  read(value: unknown): readonly FieldValue[] {
    this.out.fill(undefined);
    this.visit(value, this.root);
    return this.out;
  }

  private visit(value: unknown, place: Place): void {
    switch (typeof value) {
      case "number":
        this.put(place, place.enumValues?.[value] ?? value, "number");
        break;
      case "bigint":
        this.put(place, Number(value), "number");
        break;
      case "boolean":
        this.put(place, value, "boolean");
        break;
      case "string":
        this.put(place, value, "string");
        break;
      case "object":
        if (value !== null) this.descend(value, place);
    }
  }

  private descend(value: object, place: Place): void {
    if (place.depth >= MAX_DEPTH) return;
    if (ArrayBuffer.isView(value) || Array.isArray(value)) {
      // Bytes are blobs, and only short lists have elements that mean something by their place.
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
      // Keys that never repeat (ids used as keys) must not pile up.
      if (this.places >= 4 * MAX_FIELDS) return;
      this.places += 1;
      const path = typeof key === "number" ? `${place.path}[${key}]` : joinPath(place.path, key);
      next = { path, depth: place.depth + 1, slot: -1, enumValues: this.known.get(path)?.enumValues, below: new Map() };
      place.below.set(key, next);
    }
    this.visit(value, next);
  }

  private put(place: Place, value: FieldValue, kind: FieldInfo["kind"]): void {
    if (place.slot < 0) {
      if (this.fields.length >= MAX_FIELDS || place.path === "" || place.path.length > 512) return;
      place.slot = this.fields.length;
      this.fields.push(this.known.get(place.path) ?? { path: place.path, kind });
      this.out.push(undefined);
    }
    this.out[place.slot] = value;
  }
}

function isTimeValue(value: object): boolean {
  return "sec" in value && ("nsec" in value || "nanosec" in value) && Object.keys(value).length === 2;
}
