import { toDataView, utf8Text } from "@/engine/bytes";
import type { FieldInfo } from "@/engine/decode/fields";
import { KeptLists } from "@/engine/decode/kept-lists";
import type { StateValue } from "@/engine/signals/state-series";

/** Rows of a batch: 256 keep a batch of forty columns within the processor's second cache. */
export const ROWS = 256;

/**
 * Doubles from one column to the next. Were it a power of two, the same row of all columns would fall into one set of
 * the first cache, which makes extraction several times slower.
 */
export const STRIDE = ROWS + 8;

/** One column of a topic: a scalar of its messages. */
export interface Slot {
  field: FieldInfo;
  /**
   * How the column's doubles are to be read: as they are, 0 and 1, as positions in `Texts.lists`, or as a part of a time:
   * its seconds, or, in the slot behind, its nanoseconds.
   */
  holds: "number" | "boolean" | "text" | "time";
  /** Of some values a double is not what was recorded: of 64-bit integers the nearest, of texts of numbers the number. */
  long: boolean;
  /** Every message has a value, so that NaN is one too. */
  always: boolean;
  /** The list of unknown length it is an element of, with its position in it; -1 for none. */
  group: number;
  element: number;
}

/** Places of the messages of one topic in the bytes of a chunk. */
export interface Placed {
  view: DataView;
  bytes: Uint8Array;
  /** First byte of each payload, and the byte after its last. */
  starts: Int32Array;
  ends: Int32Array;
}

/** Columns of up to `ROWS` messages: slot `s` of row `i` lies at `s * STRIDE + i`; NaN where a message has no value. */
export interface Columns {
  values: Float64Array;
  /** The places where NaN is the value; null where nothing tells them from those without one. */
  nans: Set<number> | null;
  texts: Texts;
  /**
   * For each list of unknown length, the longest and the shortest in the batch, as far as it is kept. What lies in the
   * columns of elements behind the longest means nothing.
   */
  groups: Int32Array;
  /** The same of each row: that of list `group` in row `i` lies at `group * STRIDE + i`. */
  lengths: Uint8Array;
  /** Which lists are kept. */
  lists: KeptLists;
}

/**
 * Reads messages [from, to) of `placed` into rows 0 and up. Returns the first message that could not be read completely
 * by its schema, or `to`.
 */
export type Extract = (placed: Placed, from: number, to: number, columns: Columns) => number;

/** A list of texts as it was stored in the last message. */
interface StoredList {
  form: number;
  bytes: DataView;
}

/** Whether bytes are the same as those from `from` on, of which there are `room`. */
function isAt(view: DataView, from: number, room: number, bytes: DataView): boolean {
  const length = bytes.byteLength;
  if (length > room) return false;
  let at = 0;
  // As doubles, eight bytes are compared at once; those of zeros and of what is no number have to be looked at.
  for (; at + 8 <= length; at += 8) {
    const value = bytes.getFloat64(at, true);
    if (value === view.getFloat64(from + at, true) && value !== 0) continue;
    if (bytes.getInt32(at) !== view.getInt32(from + at)) return false;
    if (bytes.getInt32(at + 4) !== view.getInt32(from + at + 4)) return false;
  }
  for (; at < length; at++) if (bytes.getUint8(at) !== view.getUint8(from + at)) return false;
  return true;
}

/** Bytes of the longest list that is compared with the one before. */
const maxListBytes = 4096;

const noBytes = new Uint8Array(0);

/** Distinct texts of a column before they are numbered anew. */
const maxTexts = 4096;

/**
 * Numbers for the texts of a batch: the same text of a slot has the same number until `trim` starts anew. States of
 * other kinds can be among them.
 */
export class Texts {
  readonly lists: StateValue[][] = [];
  private readonly ids: Map<StateValue, number>[] = [];
  /** The bytes of each slot's last text, which is compared before anything is decoded. */
  private readonly memos: Uint8Array[] = [];
  private readonly lengths: number[] = [];
  /** The number of each slot's last text. */
  readonly last: number[] = [];
  /** By the slot of a list's first element. */
  private readonly stored: (StoredList | undefined)[] = [];

  constructor(slots: readonly Slot[]) {
    for (const [slot, { holds }] of slots.entries()) if (holds === "text") this.open(slot);
  }

  /** Begins a column of texts. Others take no place here: they may be many. */
  open(slot: number): void {
    this.lists[slot] = [];
    this.ids[slot] = new Map();
    this.memos[slot] = noBytes;
    this.lengths[slot] = -1;
    this.last[slot] = 0;
  }

  /** The number of the text in [from, from + length). */
  put(slot: number, bytes: Uint8Array, from: number, length: number): number {
    const memo = this.memos[slot]!;
    if (length === this.lengths[slot]) {
      let at = 0;
      while (at < length && memo[at] === bytes[from + at]) at++;
      if (at === length) return this.last[slot]!;
    }
    const id = this.number(slot, utf8Text(bytes, from, from + length));
    if (length > memo.length) this.memos[slot] = new Uint8Array(length * 2);
    this.memos[slot]!.set(bytes.subarray(from, from + length));
    this.lengths[slot] = length;
    this.last[slot] = id;
    return id;
  }

  /**
   * The bytes from `from` on, of `room`, that a list of texts takes when it is the same as the one before, so that `last`
   * holds the numbers of its texts; else 0, and the list goes to `rememberList` once it is read. `form`: its length and
   * byte order.
   */
  findRepeated(slot: number, form: number, view: DataView, from: number, room: number): number {
    const stored = this.stored[slot];
    if (stored === undefined) return 0;
    if (stored.form === form && isAt(view, from, room, stored.bytes)) return stored.bytes.byteLength;
    this.stored[slot] = undefined;
    return 0;
  }

  rememberList(slot: number, form: number, bytes: Uint8Array, from: number, length: number): void {
    const isShort = length <= maxListBytes;
    this.stored[slot] = isShort ? { form, bytes: toDataView(bytes.slice(from, from + length)) } : undefined;
  }

  /** The number of a state that is decoded already. */
  number(slot: number, state: StateValue): number {
    let id = this.ids[slot]!.get(state);
    if (id === undefined) {
      id = this.lists[slot]!.push(state) - 1;
      this.ids[slot]!.set(state, id);
    }
    return id;
  }

  /** Starts anew where a slot has too many texts; true for a slot whose numbers changed their meaning. */
  trim(slot: number): boolean {
    if ((this.lists[slot]?.length ?? 0) < maxTexts) return false;
    this.lists[slot] = [];
    this.ids[slot]!.clear();
    this.lengths[slot] = -1;
    this.stored.length = 0;
    return true;
  }
}

/** A sink of columns: it is given each batch once, in the order of the topic's times. */
export interface ColumnSink {
  /**
   * Takes the messages of a topic whose times lie at [from, from + rows) of `times`, nanoseconds from the start of the
   * recording. Everything it is given is only valid during the call; `slots` may grow from one call to the next.
   */
  take(topic: string, slots: readonly Slot[], times: Float64Array, from: number, rows: number, columns: Columns): void;
}

/** Room for the doubles of one batch, which all topics of a pass use one after another. */
export class ColumnRoom {
  private values = new Float64Array(0);

  /** The room for so many columns; what was in it before stays. */
  fit(slots: number): Float64Array {
    const least = Math.max(1, slots) * STRIDE;
    if (this.values.length < least) {
      const values = new Float64Array(Math.max(least, this.values.length * 2));
      values.set(this.values);
      this.values = values;
    }
    return this.values;
  }
}

/** Empties the first rows of slots [from, to). */
export function emptyColumns(values: Float64Array, from: number, to: number, rows: number): void {
  for (let slot = from; slot < to; slot++) values.fill(NaN, slot * STRIDE, slot * STRIDE + rows);
}

/** Columns for `slots`, and for as many lists as they name; `lists`: which of them are kept. */
export function makeColumns(slots: readonly Slot[], room = new ColumnRoom(), lists = new KeptLists(0)): Columns {
  const groups = slots.reduce((most, { group }) => Math.max(most, group + 1), 0);
  return {
    values: room.fit(slots.length),
    nans: null,
    texts: new Texts(slots),
    groups: new Int32Array(2 * groups),
    lengths: new Uint8Array(groups * STRIDE),
    lists,
  };
}
