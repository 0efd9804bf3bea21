import { toNumber } from "@/domain/conditions/number";
import { joinPath } from "@/domain/conditions/path";
import { compileReader, type Encoding, type Pick } from "@/engine/decode/compile";
import { createDecoder, orSchemaMismatch, type MessageDecoder } from "@/engine/decode/decode";
import {
  listSchemaFields,
  listFields,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FIELDS,
  MAX_PATH,
  structFields,
  type FieldInfo,
  type StructLeaf,
} from "@/engine/decode/fields";
import type { StructType } from "@/engine/decode/message-type";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import { oncePerType, PlanBudget } from "@/engine/decode/plan-budget";
import { ProtoType, type ProtoMessage } from "@/engine/decode/proto-schema";
import { isTime, ProtoDecoder, type Wanted } from "@/engine/decode/protobuf";
import { isTimeOf, listSlots, toNanoseconds } from "@/engine/decode/time-parts";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

/** Reads the scalars of one channel's messages for the series, without building the objects around them. */
export interface FieldReader {
  /** The field of each slot. Grows as fields appear in the data; a slot never changes its meaning. */
  readonly fields: readonly FieldInfo[];
  /**
   * Numbers of the message read last, by slot: 64-bit integers as the nearest double, NaN where there is none. A time has
   * two slots, for its seconds and its nanoseconds.
   */
  readonly values: Float64Array;
  /** Booleans, texts and enums (the name of a value where it has one) of that message by slot, else undefined. */
  readonly states: readonly (boolean | string | number | undefined)[];
  /** Reads one message. Throws a RecordingError for a payload that does not match the schema. */
  read(data: Uint8Array): void;
  /** Present where messages are decoded to objects: what else is known of the message read last. */
  readonly objects?: ObjectFields;
}

/** A reader of decoded objects also knows which fields the message has, and its 64-bit integers exactly. */
export interface ObjectFields extends FieldReader {
  /** By slot; a slot that ever held a 64-bit integer, or a time, has one: of a time all nanoseconds. */
  readonly wide: readonly bigint[];
  /** By slot, whether a text of a number was ever read as a number. */
  readonly texts: readonly (boolean | undefined)[];
  has(slot: number): boolean;
  /** The message as a decoder gives it, complete in the members that `keep` asked for; undefined where it is not. */
  readonly decoded: unknown;
  /** Asks for top-level members in `decoded`; all of them where `only` is undefined. What is read stays the same. */
  keep(only: ReadonlySet<string> | undefined): void;
}

/**
 * Creates the field reader of a channel. Arrays of unknown length are
 * included while they hold at most 16 values. Throws a RecordingError when the schema cannot be used.
 */
export function createFieldReader(channel: Channel): FieldReader {
  const payload = getPayloadType(channel);
  if (payload.kind === "struct") return structReader(payload.type, payload.encoding);
  // Without a schema's fields JSON is read as well.
  const listed = "schema" in payload ? listFields(channel) : listSchemaFields(payload);
  const known = new Map(listed.map((field) => [field.path, field]));
  if (payload.kind === "protobuf") return new ObjectWalk(known, new ProtoObjects(payload.type));
  return new ObjectWalk(known, new WholeObjects(createDecoder(channel)));
}

/** Where the objects come from whose scalars are read. */
interface ObjectSource {
  /** The members that are read; null for all. */
  readonly selected: Wanted | null;
  keep(only: ReadonlySet<string> | undefined): void;
  /** Throws a RecordingError. */
  decode(data: Uint8Array): unknown;
  /** Whether the object decoded last is complete in what `keep` asked for. */
  readonly complete: boolean;
}

class WholeObjects implements ObjectSource {
  readonly selected = null;
  readonly complete = true;

  constructor(private readonly decoder: MessageDecoder) {}

  keep(): void {
    // They always are.
  }

  decode(data: Uint8Array): unknown {
    return this.decoder.decode(data);
  }
}

/** Decodes the scalars of protobuf messages, and what `keep` asks for along with them. */
class ProtoObjects implements ObjectSource {
  readonly selected: Wanted;
  complete = false;
  private readonly scalars: ProtoDecoder;
  private all: ProtoDecoder | null = null;

  constructor(private readonly type: ProtoMessage) {
    this.selected = selectScalars(type);
    this.scalars = new ProtoDecoder(type, this.selected);
  }

  keep(only: ReadonlySet<string> | undefined): void {
    const wanted = only === undefined ? null : new Map(this.selected);
    for (const name of only ?? []) wanted?.set(name, null);
    this.all = new ProtoDecoder(this.type, wanted);
  }

  decode(data: Uint8Array): unknown {
    const { all, scalars } = this;
    this.complete = all !== null;
    if (all !== null) {
      try {
        return orSchemaMismatch(() => all.decode(data));
      } catch (error) {
        // A member that only `keep` asked for may be damaged.
        if (!(error instanceof RecordingError)) throw error;
        this.complete = false;
      }
    }
    return orSchemaMismatch(() => scalars.decode(data));
  }
}

function structReader(type: StructType, encoding: Encoding): FieldReader {
  const leaves = structFields(type);
  const fields = leaves.flatMap(({ info }) => listSlots(info));
  const picks = pickLeaves(leaves);
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

/** Where the values of leaves lie, in slots one after another. */
export function pickLeaves(leaves: readonly StructLeaf[]): Pick[] {
  let next = 0;
  return leaves.map(({ steps, info }) => {
    const slot = next;
    next += listSlots(info).length;
    return { steps, slot };
  });
}

/**
 * The fields of a protobuf message that have to be decoded for its scalars. Types that use each other repeatedly share
 * what is wanted of one type at one depth. Throws a RecordingError beyond the budget of visits.
 */
const selectScalars = oncePerType((root: ProtoMessage): Wanted => {
  const budget = new PlanBudget();
  const known = new Map<ProtoMessage, (Wanted | undefined)[]>();
  /** Fields left out because they lead back to a type above, which they may not do elsewhere. */
  let cut = 0;
  const visit = (type: ProtoMessage, above: readonly ProtoMessage[]): Wanted => {
    const depths = known.get(type) ?? [];
    known.set(type, depths);
    const before = depths[above.length];
    if (before !== undefined) return before;
    const cutBefore = cut;
    const wanted = new Map<string, Wanted | null>();
    for (const field of type.fields) {
      budget.visit();
      const { message } = field;
      if (field.type === ProtoType.bytes) continue;
      if (message === null || (isTime(message) && !field.repeated)) wanted.set(field.name, null);
      else if (field.repeated || isTime(message) || above.length >= MAX_DEPTH) continue;
      else if (above.includes(message)) cut += 1;
      else wanted.set(field.name, visit(message, [...above, message]));
    }
    if (cut === cutBefore) depths[above.length] = wanted;
    return wanted;
  };
  return visit(root, [root]);
});

/** A place in the objects of a channel: its slot when scalars were seen there, and the places below it. */
interface Place {
  path: string;
  depth: number;
  /** The members that are read; null for all. */
  selected: Wanted | null;
  slot: number;
  enumValues: Record<number, string> | undefined;
  below: Map<string | number, Place>;
}

/** Reads the scalars of decoded objects, assigning a slot to each path when it first appears. */
class ObjectWalk implements ObjectFields {
  readonly fields: FieldInfo[] = [];
  values = new Float64Array(16).fill(NaN);
  readonly states: (boolean | string | number | undefined)[] = [];
  decoded: unknown;
  readonly objects = this;
  private readonly root: Place;
  private places = 0;
  readonly wide: bigint[] = [];
  readonly texts: boolean[] = [];
  /** The message, by its number, that last had the field of a slot. */
  private readonly seen: number[] = [];
  private message = 0;

  constructor(
    private readonly known: ReadonlyMap<string, FieldInfo>,
    private readonly source: ObjectSource,
  ) {
    const { selected } = source;
    this.root = { path: "", depth: 0, selected, slot: -1, enumValues: undefined, below: new Map() };
  }

  keep(only: ReadonlySet<string> | undefined): void {
    this.source.keep(only);
  }

  has(slot: number): boolean {
    return this.seen[slot] === this.message;
  }

  read(data: Uint8Array): void {
    this.message++;
    this.values.fill(NaN);
    this.states.fill(undefined);
    this.decoded = undefined;
    const decoded = this.source.decode(data);
    if (this.source.complete) this.decoded = decoded;
    this.visit(decoded, this.root);
  }

  private visit(value: unknown, place: Place): void {
    switch (typeof value) {
      case "number":
        if (place.enumValues !== undefined) this.putState(place, place.enumValues[value] ?? value, "enum");
        else if (this.holdsTexts(place)) this.putState(place, value, "string");
        else this.putNumber(place, value);
        break;
      case "bigint":
        if (this.holdsTexts(place)) this.putState(place, String(value), "string");
        else this.putNumber(place, Number(value));
        if (place.slot >= 0) this.wide[place.slot] = value;
        break;
      case "boolean":
        this.putState(place, value, "boolean");
        break;
      case "string":
        this.putText(place, value);
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
    if (isTimeValue(value, place.selected)) {
      this.putTime(place, value);
      return;
    }
    for (const key of Object.keys(value)) this.step(place, key, (value as Record<string, unknown>)[key]);
  }

  private step(place: Place, key: string | number, value: unknown): void {
    let next = place.below.get(key);
    if (next === undefined) {
      const { selected } = place;
      if (selected !== null && !selected.has(String(key))) return;
      // Keys that never repeat (ids used as keys) must not accumulate.
      if (this.places >= 4 * MAX_FIELDS) return;
      this.places += 1;
      const path = typeof key === "number" ? `${place.path}[${key}]` : joinPath(place.path, key);
      next = {
        path,
        depth: place.depth + 1,
        selected: selected?.get(String(key)) ?? null,
        slot: -1,
        enumValues: this.known.get(path)?.enumValues,
        below: new Map(),
      };
      place.below.set(key, next);
    }
    this.visit(value, next);
  }

  /** Whether the first value seen there was a text. */
  private holdsTexts({ slot }: Place): boolean {
    return slot >= 0 && this.fields[slot]!.kind === "string";
  }

  /** Texts of numbers among numbers are numbers, as they are to rules. */
  private putText(place: Place, value: string): void {
    const { kind } = (place.slot >= 0 ? this.fields[place.slot] : this.known.get(place.path)) ?? {};
    const number = kind === "number" ? toNumber(value) : NaN;
    if (Number.isNaN(number)) this.putState(place, value, "string");
    else {
      this.putNumber(place, number);
      if (place.slot >= 0) this.texts[place.slot] = true;
    }
  }

  private putNumber(place: Place, value: number): void {
    if (!this.getSlot(place, "number") || this.fields[place.slot]!.kind !== "number") return;
    this.values[place.slot] = value;
    this.seen[place.slot] = this.message;
  }

  private putState(place: Place, value: boolean | string | number, kind: FieldInfo["kind"]): void {
    if (!this.getSlot(place, kind) || this.isNumeric(place)) return;
    this.states[place.slot] = value;
    this.seen[place.slot] = this.message;
  }

  private isNumeric({ slot }: Place): boolean {
    const { kind } = this.fields[slot]!;
    return kind === "number" || kind === "time";
  }

  /** The parts of a time, which are no numbers where a text stands for one of them. */
  private putTime(place: Place, { sec, nsec, nanosec = nsec }: TimeParts): void {
    const [seconds, nanoseconds] = [toPart(sec), toPart(nanosec)];
    if (seconds === null || nanoseconds === null) return;
    if (!this.getSlot(place, "time") || this.fields[place.slot]!.kind !== "time") return;
    const { slot } = place;
    this.values[slot] = seconds;
    this.values[slot + 1] = nanoseconds;
    this.seen[slot] = this.message;
    this.seen[slot + 1] = this.message;
    if (isTimeOf(seconds, nanoseconds)) this.wide[slot] = toNanoseconds(seconds, nanoseconds);
  }

  /** Assigns a slot to a place unless it has one; false when there are too many. */
  private getSlot(place: Place, kind: FieldInfo["kind"]): boolean {
    if (place.slot >= 0) return true;
    if (this.fields.length >= MAX_FIELDS || place.path === "" || place.path.length > MAX_PATH) return false;
    const known = this.known.get(place.path);
    place.slot = this.fields.length;
    const slots = listSlots({ ...known, path: place.path, kind });
    this.fields.push(...slots);
    for (let n = slots.length; n > 0; n--) this.states.push(undefined);
    if (this.fields.length > this.values.length) {
      const values = new Float64Array(this.values.length * 2).fill(NaN);
      values.set(this.values);
      this.values = values;
    }
    return true;
  }
}

interface TimeParts {
  sec: unknown;
  nsec?: unknown;
  nanosec?: unknown;
}

const toPart = (value: unknown): number | null =>
  typeof value === "number" || typeof value === "bigint" ? Number(value) : null;

/** Whether the members that are read make up a time. */
function isTimeValue(value: object, selected: Wanted | null): value is TimeParts {
  if (!("sec" in value) || !("nsec" in value || "nanosec" in value)) return false;
  const names = Object.keys(value);
  return (selected === null ? names : names.filter((name) => selected.has(name))).length === 2;
}
