import { joinPath, nanosecondNames } from "@/domain/conditions/path";
import { toDataView, utf8Text } from "@/engine/bytes";
import { STRIDE, type Columns, type Placed, type Slot } from "@/engine/columns/column-batch";
import { readJsonNumber } from "@/engine/columns/json-number";
import type { ObjectFields } from "@/engine/decode/field-reader";

/** Shapes of one topic that are known at a time. */
const maxShapes = 4;
/** Larger messages, and those with more values, are read by way of objects. */
const maxBytes = 64 * 1024;
const maxValues = 500;

type Kind = "number" | "text" | "boolean";

/** A message of which only values vary: the bytes around its values, and what kind of value is where. */
interface Shape {
  /** The bytes before each value, and after the last: those of value `k` end at `ends[k]`. */
  fixed: DataView;
  ends: number[];
  kinds: Kind[];
  /** The slot of each value, -1 for what is not read. */
  slots: number[];
  /** Slots of the topic that messages of this shape have no value of, among the first `known`. */
  absent: number[];
  known: number;
}

/** Thrown for messages that make no shape. */
class Shapeless extends Error {}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The end of a text without escapes, the place of its closing quote; -1 for any other. */
function findQuote(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === quote) return at;
    // Texts with escapes, control characters and letters beyond ASCII are left to the decoder.
    if (byte === backslash || byte < 0x20 || byte > 0x7f) return -1;
  }
  return -1;
}

/** Finds the shape of one message, which is valid JSON. */
class Learner {
  private readonly shape: Shape;
  private readonly fixed: number[] = [];
  private cut = 0;
  private at = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly find: (path: string, kind: Kind) => number,
    private readonly members: Set<string>,
    known: number,
  ) {
    this.shape = { fixed: toDataView(bytes), ends: [], kinds: [], slots: [], absent: [], known };
  }

  learn(): Shape {
    const { shape, bytes, fixed } = this;
    this.value("");
    this.keep(bytes.length);
    shape.fixed = toDataView(Uint8Array.from(fixed));
    const read = new Set(shape.slots);
    for (let slot = 0; slot < shape.known; slot++) if (!read.has(slot)) shape.absent.push(slot);
    return shape;
  }

  /** Ends a piece of fixed bytes. */
  private keep(end: number): void {
    for (let at = this.cut; at < end; at++) this.fixed.push(this.bytes[at]!);
    this.shape.ends.push(this.fixed.length);
  }

  private add(kind: Kind, path: string, from: number, to: number): void {
    const { kinds, slots } = this.shape;
    if (kinds.length >= maxValues) throw new Shapeless();
    this.keep(from);
    kinds.push(kind);
    slots.push(this.find(path, kind));
    this.cut = to;
  }

  private next(): number {
    while (isSpace(this.bytes[this.at]!)) this.at += 1;
    return this.bytes[this.at]!;
  }

  /** Takes a text without escapes, and returns where it begins. */
  private text(): number {
    const from = this.at + 1;
    const end = findQuote(this.bytes, from, this.bytes.length);
    if (end < 0) throw new Shapeless();
    this.at = end + 1;
    return from;
  }

  private value(path: string): void {
    const { bytes } = this;
    const byte = this.next();
    if (byte === 0x7b) this.object(path);
    else if (byte === 0x5b) this.list(path);
    else if (byte === quote) {
      const from = this.text();
      this.add("text", path, from, this.at - 1);
    } else if (byte === 0x74 || byte === 0x66) {
      const from = this.at;
      this.at += byte === 0x74 ? 4 : 5;
      this.add("boolean", path, from, this.at);
    } else if (byte === 0x6e) {
      // A null is part of the shape.
      this.at += 4;
    } else {
      const from = this.at;
      // The letters are those of NaN and Infinity.
      while (/[-+.eE\dNaIfinty]/.test(String.fromCharCode(bytes[this.at] ?? 0))) this.at += 1;
      if (this.at === from) throw new Shapeless();
      this.add("number", path, from, this.at);
    }
  }

  private object(path: string): void {
    const names = new Set<string>();
    this.at += 1;
    for (let byte = this.next(); byte !== 0x7d; byte = this.next()) {
      if (byte === comma) this.at += 1;
      if (this.next() !== quote) throw new Shapeless();
      const from = this.text();
      const name = utf8Text(this.bytes, from, this.at - 1);
      // Of members with one name the last counts.
      if (names.has(name)) throw new Shapeless();
      names.add(name);
      if (path === "") this.members.add(name);
      this.next();
      this.at += 1;
      this.value(joinPath(path, name));
    }
    this.at += 1;
  }

  private list(path: string): void {
    this.at += 1;
    for (let i = 0, byte = this.next(); byte !== 0x5d; byte = this.next(), i++) {
      if (byte === comma) this.at += 1;
      this.value(`${path}[${i}]`);
    }
    this.at += 1;
  }
}

/**
 * Reads messages of JSON whose bytes differ from an earlier one's only in their values: nothing but values is looked
 * at. All others are decoded, and teach their shape.
 */
export class JsonShapes {
  private shapes: Shape[] = [];
  private readonly slotOf = new Map<string, number>();
  /** The slots of the parts of times. */
  private readonly partOf = new Map<string, number>();
  private known = 0;
  /** The members of all messages whose shape was learned, also those forgotten since. */
  readonly members = new Set<string>();
  private matched = 0;
  private learned = 0;

  /** `slots`: of the topic; grows as fields appear. */
  constructor(private readonly slots: readonly Slot[]) {}

  /** Reads a message into a row of the columns; false when it has none of the known shapes. */
  read({ bytes, view, starts, ends }: Placed, message: number, row: number, columns: Columns): boolean {
    const { shapes, slots } = this;
    const [from, end] = [starts[message]!, ends[message]!];
    for (let n = 0; n < shapes.length; n++) {
      const shape = shapes[n]!;
      if (!readShape(shape, { bytes, view }, from, end, row, columns)) continue;
      this.matched += 1;
      const { absent, known } = shape;
      for (let i = 0; i < absent.length; i++) leaveOut(columns, absent[i]! * STRIDE + row);
      for (let slot = known; slot < slots.length; slot++) leaveOut(columns, slot * STRIDE + row);
      return true;
    }
    return false;
  }

  private place(slot: number): void {
    const { holds, field } = this.slots[slot]!;
    if (holds !== "time") this.slotOf.set(field.path, slot);
    else if (!field.isFraction) this.partOf.set(joinPath(field.path, "sec"), slot);
    else for (const name of nanosecondNames) this.partOf.set(joinPath(field.path, name), slot);
  }

  /** Learns the shape of a message that was just decoded; `objects` has its fields. */
  learn(bytes: Uint8Array, from: number, end: number, objects: ObjectFields): void {
    // Where shapes seldom repeat, learning costs more than it gains.
    if (end - from > maxBytes || this.learned > 16 + this.matched / 4) return;
    this.learned += 1;
    const { slots, slotOf, partOf } = this;
    for (; this.known < slots.length; this.known++) this.place(this.known);
    const find = (path: string, kind: Kind): number => {
      const part = kind === "number" ? partOf.get(path) : undefined;
      if (part !== undefined && objects.has(part)) return part;
      const slot = slotOf.get(path) ?? -1;
      const known = slots[slot]?.field.kind;
      // Texts of numbers are numbers where there are others, and numbers are states where there are texts.
      if ((kind === "text" && known === "number") || (kind === "number" && known === "string")) throw new Shapeless();
      return slot >= 0 && objects.has(slot) ? slot : -1;
    };
    try {
      this.shapes.unshift(new Learner(bytes.subarray(from, end), find, this.members, slots.length).learn());
      this.shapes.splice(maxShapes);
    } catch (error) {
      if (!(error instanceof Shapeless)) throw error;
    }
  }
}

/** Where the value read last ended, and what it was. */
const found = { end: 0, number: 0 };

/** Whether `length` bytes are the same: four at a time. */
function matches(view: DataView, at: number, fixed: DataView, from: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) if (view.getInt32(at + i) !== fixed.getInt32(from + i)) return false;
  for (; i < length; i++) if (view.getUint8(at + i) !== fixed.getUint8(from + i)) return false;
  return true;
}

function readShape(
  shape: Shape,
  { bytes, view }: Pick<Placed, "bytes" | "view">,
  from: number,
  end: number,
  row: number,
  columns: Columns,
): boolean {
  const { fixed, ends, kinds, slots } = shape;
  const { values, texts } = columns;
  let at = from;
  let piece = 0;
  for (let k = 0; k < kinds.length; k++) {
    const length = ends[k]! - piece;
    if (at + length > end || !matches(view, at, fixed, piece, length)) return false;
    piece += length;
    at += length;
    const slot = slots[k]!;
    const place = slot * STRIDE + row;
    switch (kinds[k]) {
      case "number":
        if (!readJsonNumber(bytes, at, end, found)) return false;
        if (slot >= 0) {
          values[place] = found.number;
          if (found.number !== found.number) columns.nans?.add(place);
        }
        at = found.end;
        break;
      case "text": {
        const stop = findQuote(bytes, at, end);
        if (stop < 0) return false;
        if (slot >= 0) values[place] = texts.put(slot, bytes, at, stop - at);
        at = stop;
        break;
      }
      default: {
        const truth = readBoolean(bytes, at);
        if (truth === null) return false;
        if (slot >= 0) values[place] = texts.number(slot, truth);
        at += truth ? 4 : 5;
      }
    }
  }
  const length = fixed.byteLength - piece;
  return at + length === end && matches(view, at, fixed, piece, length);
}

/** Says that a message has no value at a place, also where a shape that did not fit has read NaN there. */
function leaveOut({ values, nans }: Columns, place: number): void {
  values[place] = NaN;
  if (nans !== null && nans.size > 0) nans.delete(place);
}

function readBoolean(bytes: Uint8Array, at: number): boolean | null {
  const rest = bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65;
  if (bytes[at] === 0x74 && rest) return true;
  const other = bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x73 && bytes[at + 4] === 0x65;
  return bytes[at] === 0x66 && other ? false : null;
}
