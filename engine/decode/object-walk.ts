import { toNumber } from "@/domain/conditions/number";
import { joinPath } from "@/domain/conditions/path";
import { MAX_DEPTH, MAX_ELEMENTS, MAX_FIELDS, MAX_LENGTH, MAX_PATH, type FieldInfo } from "@/engine/decode/fields";
import { MAX_LONG_LISTS, type KeptLists, type LongList } from "@/engine/decode/kept-lists";
import type { Wanted } from "@/engine/decode/protobuf";
import { isWholeTime, listSlots, toNanoseconds } from "@/engine/decode/time-parts";

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
  /** Which lists are kept; of structs. */
  readonly lists?: KeptLists;
  /** The fields without the elements that no list has had so far. */
  readonly present: readonly FieldInfo[];
  /** Lists of numbers, texts or objects of which no element is a field, for their length. */
  readonly longLists: readonly LongList[];
  /** About how many of the fields will have values. */
  readonly expected: number;
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
  /** Why a part of the message was left out; null where nothing was. */
  readonly unread: string | null;
  /** The message as a decoder gives it, complete in the members that `keep` asked for; undefined where it is not. */
  readonly decoded: unknown;
  /** Asks for top-level members in `decoded`; all of them where `only` is undefined. What is read stays the same. */
  keep(only: ReadonlySet<string> | undefined): void;
}

/** Where the objects come from whose scalars are read. */
export interface ObjectSource {
  /** The members that are read; null for all. */
  readonly selected: Wanted | null;
  keep(only: ReadonlySet<string> | undefined): void;
  /** Throws a RecordingError. */
  decode(data: Uint8Array): unknown;
  /** Whether the object decoded last is complete in what `keep` asked for. */
  readonly complete: boolean;
  /** Why a part of that object was left out; null where nothing was. */
  readonly unread: string | null;
}

/** A place in the objects of a channel: its slot when scalars were seen there, and the places below it. */
interface Place {
  path: string;
  depth: number;
  /** The members that are read; null for all. */
  selected: Wanted | null;
  slot: number;
  known: FieldInfo | undefined;
  below: Map<string | number, Place>;
  /** Of a list, whether its elements are fields; undefined before it was first seen. */
  keeps?: boolean;
  /** Of a list of structs, the first element that did not fit: neither it nor those behind it are fields from then on. */
  end?: number;
}

/** Reads the scalars of decoded objects, assigning a slot to each path when it first appears. */
export class ObjectWalk implements ObjectFields {
  readonly fields: FieldInfo[] = [];
  values = new Float64Array(16).fill(NaN);
  readonly states: (boolean | string | number | undefined)[] = [];
  decoded: unknown;
  readonly objects = this;
  readonly longLists: LongList[] = [];
  private readonly root: Place;
  private places = 0;
  readonly wide: bigint[] = [];
  readonly texts: boolean[] = [];
  /** The message, by its number, that last had the field of a slot. */
  private readonly seen: number[] = [];
  private message = 0;

  constructor(
    private readonly findKnown: (path: string) => FieldInfo | undefined,
    private readonly source: ObjectSource,
    /** Whether elements of every list are read, however long it was at first. */
    private readonly all: boolean,
  ) {
    const { selected } = source;
    this.root = { path: "", depth: 0, selected, slot: -1, known: undefined, below: new Map() };
  }

  /** Fields appear with the data. */
  get present(): readonly FieldInfo[] {
    return this.fields;
  }

  get expected(): number {
    return this.fields.length;
  }

  get unread(): string | null {
    return this.source.unread;
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
        if (place.known?.enumValues !== undefined) this.putState(place, place.known.enumValues[value] ?? value, "enum");
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
      // Bytes are blobs, and in long lists the position of an element has no meaning.
      if (value instanceof Uint8Array || value instanceof DataView) return;
      const list = value as ArrayLike<unknown>;
      place.keeps ??= this.decideOn(place, list.length);
      if (!place.keeps) return;
      const length = Math.min(list.length, MAX_ELEMENTS);
      for (let i = 0; i < length && this.hasRoom(place, i, list[i]); i++) this.step(place, i, list[i]);
      return;
    }
    if (isTimeValue(value, place.selected)) {
      this.putTime(place, value);
      return;
    }
    for (const key of Object.keys(value)) this.step(place, key, (value as Record<string, unknown>)[key]);
  }

  private decideOn({ path }: Place, elements: number): boolean {
    if (this.all || elements <= MAX_LENGTH) return true;
    if (this.longLists.length < MAX_LONG_LISTS && path.length <= MAX_PATH) this.longLists.push({ path, elements });
    return false;
  }

  /**
   * Of lists of structs whole elements are kept: one that is new has to fit as it is. One that did not would else be a
   * field later, without the values that it had before.
   */
  private hasRoom(place: Place, element: number, value: unknown): boolean {
    if (typeof value !== "object" || value === null || place.below.has(element)) return true;
    if (element >= (place.end ?? MAX_ELEMENTS)) return false;
    const { length } = this.fields;
    const fits =
      length < MAX_FIELDS && length + countScalars(value, MAX_DEPTH - place.depth, place.selected) <= MAX_FIELDS;
    if (!fits) place.end = element;
    return fits;
  }

  private step(place: Place, key: string | number, value: unknown): void {
    let next = place.below.get(key);
    if (next === undefined) {
      // Of a list it is what is read of each element.
      const { selected } = place;
      const isElement = typeof key === "number";
      if (!isElement && selected !== null && !selected.has(key)) return;
      // Keys that never repeat (ids used as keys) must not accumulate.
      if (this.places >= 4 * MAX_FIELDS) return;
      this.places += 1;
      const path = isElement ? `${place.path}[${key}]` : joinPath(place.path, key);
      next = {
        path,
        depth: place.depth + 1,
        selected: isElement ? selected : (selected?.get(key) ?? null),
        slot: -1,
        known: this.findKnown(path),
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
    const { kind } = (place.slot >= 0 ? this.fields[place.slot] : place.known) ?? {};
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
    if (isWholeTime(seconds, nanoseconds)) this.wide[slot] = toNanoseconds(seconds, nanoseconds);
  }

  /** Assigns a slot to a place unless it has one; false when there are too many. */
  private getSlot(place: Place, kind: FieldInfo["kind"]): boolean {
    if (place.slot >= 0) return true;
    if (this.fields.length >= MAX_FIELDS || place.path === "" || place.path.length > MAX_PATH) return false;
    place.slot = this.fields.length;
    const slots = listSlots({ ...place.known, path: place.path, kind });
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

/** The slots that the scalars of an object take, down to a depth; of its lists as many elements as are read. */
function countScalars(value: unknown, depth: number, selected: Wanted | null): number {
  if (typeof value !== "object") return value === undefined ? 0 : 1;
  if (value === null || depth <= 0 || value instanceof Uint8Array || value instanceof DataView) return 0;
  if (!ArrayBuffer.isView(value) && !Array.isArray(value)) {
    if (isTimeValue(value, selected)) return 2;
    return Object.entries(value).reduce((sum: number, [name, each]) => {
      if (selected !== null && !selected.has(name)) return sum;
      return sum + countScalars(each, depth - 1, selected?.get(name) ?? null);
    }, 0);
  }
  const list = value as ArrayLike<unknown>;
  if (list.length > MAX_LENGTH) return 0;
  let sum = 0;
  for (let i = 0; i < Math.min(list.length, MAX_ELEMENTS); i++) sum += countScalars(list[i], depth - 1, selected);
  return sum;
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
