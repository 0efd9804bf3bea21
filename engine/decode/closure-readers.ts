import type { KeptLists } from "@/engine/decode/kept-lists";
import type { PayloadCursor, TextMemo } from "@/engine/decode/payload-cursor";
import {
  countEmpty,
  createLeastBytes,
  groupPicks,
  isPadded,
  isPrimitive,
  type Form,
  type Pick,
  type Picking,
  type Readers,
  type Reading,
  type States,
} from "@/engine/decode/reading-form";
import { SCALAR_BYTES, type ScalarType, type StructField, type StructType } from "@/engine/decode/schemas/message-type";
import { PlanBudget } from "@/engine/decode/schemas/plan-budget";

type Step = (cursor: PayloadCursor) => void;
type ReadCount = (cursor: PayloadCursor) => number;

const runAll = (steps: readonly Step[]): Step => {
  const [first, second] = steps;
  if (!first) return () => {};
  if (!second) return first;
  return (cursor) => {
    for (let at = 0; at < steps.length; at++) steps[at]!(cursor);
  };
};

/**
 * Readers made of closures: what `compile.ts` generates as text, for where no code may be generated. Half as fast; both
 * are tested to read the same.
 */
export class ClosureReaders implements Readers {
  private readonly readers = new Map<StructType, Reading>();
  private readonly skippers = new Map<StructType, Step>();
  private readonly budget = new PlanBudget();
  private readonly leastBytes: (type: ScalarType | StructType) => number;

  constructor(private readonly form: Form) {
    this.leastBytes = createLeastBytes(form);
  }

  decoder(type: StructType, only?: ReadonlySet<string>): Reading {
    return this.reader(type, only);
  }

  picker(type: StructType, picks: readonly Pick[], slots: number, kept: KeptLists): Picking {
    const own = new Slots(slots, kept);
    // As in generated readers: without picks the message is checked as a whole.
    if (picks.length === 0) return own.fillBy(type.fields.length === 0 ? () => {} : this.structSkipper(type));
    return own.fillBy(this.pickSteps(type, picks, own, 0, true));
  }

  /** A struct as an object; with `only`, just those of its fields. */
  private reader(type: StructType, only?: ReadonlySet<string>): Reading {
    const known = this.readers.get(type);
    if (known && only === undefined) return known;
    let read: Reading = () => ({});
    // A type's own reader is known before those of its fields are made.
    if (only === undefined) this.readers.set(type, (cursor) => read(cursor));
    this.budget.visit(type.fields.length);
    const fields = type.fields.map((field) =>
      only !== undefined && !only.has(field.name)
        ? { name: null, read: this.skipper(field) as Reading }
        : { name: field.name, read: this.fieldReader(field) },
    );
    const isEmpty = isPadded(type, this.form);
    const isFree = this.leastBytes(type) === 0;
    const readFields = (cursor: PayloadCursor): unknown => {
      if (isFree) cursor.claim(1, 0);
      const object: Record<string, unknown> = {};
      for (let at = 0; at < fields.length; at++) {
        const field = fields[at]!;
        const value = field.read(cursor);
        if (field.name === "__proto__") Object.defineProperty(object, field.name, { ...plain, value });
        else if (field.name !== null) object[field.name] = value;
      }
      if (isEmpty) cursor.skip(1, 1);
      return object;
    };
    read = this.delimit(readFields);
    return read;
  }

  /** Reads between a struct's length and its end, where it has a length. */
  private delimit<T>(inner: (cursor: PayloadCursor) => T): (cursor: PayloadCursor) => T {
    if (this.form !== "delimited") return inner;
    return (cursor) => {
      const end = cursor.enter();
      const value = inner(cursor);
      cursor.leave(end);
      return value;
    };
  }

  /** An array's length; unknown ones are read and checked against the rest of the message. */
  private lengthReader({ type, array }: StructField): ReadCount {
    const bytes = this.leastBytes(type);
    const enters = this.form === "delimited" && !isPrimitive(type);
    const length = array?.length ?? null;
    return (cursor) => {
      if (length === null) {
        if (enters) cursor.enter();
        return cursor.count(bytes);
      }
      if (enters) cursor.enter();
      cursor.claim(length, bytes);
      return length;
    };
  }

  private fieldReader(field: StructField): Reading {
    const { type, array } = field;
    if (typeof type === "string") {
      if (array === null) return scalars[type];
      const count = this.lengthReader(field);
      const readMany = lists[type];
      return (cursor) => readMany(cursor, count(cursor));
    }
    const read = this.reader(type);
    if (array === null) return read;
    const count = this.lengthReader(field);
    return (cursor) => {
      const list: unknown[] = [];
      for (let left = count(cursor); left > 0; left--) list.push(read(cursor));
      return list;
    };
  }

  private skipper(field: StructField): Step {
    const { type, array } = field;
    if (array === null) return this.skipperOfOne(type);
    if (this.form === "delimited" && !isPrimitive(type)) return leaveEntered;
    const count = this.lengthReader(field);
    if (typeof type === "string" && type !== "string") {
      // Two 32-bit numbers are aligned as one.
      if (type === "time" || type === "duration") return (cursor) => cursor.skip(2 * count(cursor), 4);
      const bytes = SCALAR_BYTES[type];
      return (cursor) => cursor.skip(count(cursor), bytes);
    }
    const skip = this.skipperOfOne(type);
    return (cursor) => {
      for (let left = count(cursor); left > 0; left--) skip(cursor);
    };
  }

  private skipperOfOne(type: ScalarType | StructType): Step {
    if (this.form === "delimited" && type !== "string" && !isPrimitive(type)) return leaveEntered;
    if (typeof type !== "string") return this.structSkipper(type);
    if (type === "string") return (cursor) => cursor.skipString();
    if (type === "time" || type === "duration") return (cursor) => cursor.skip(2, 4);
    const bytes = SCALAR_BYTES[type];
    return (cursor) => cursor.skip(1, bytes);
  }

  private structSkipper(type: StructType): Step {
    const known = this.skippers.get(type);
    if (known) return known;
    let skip: Step = () => {};
    this.skippers.set(type, (cursor) => skip(cursor));
    if (this.leastBytes(type) === 0 && this.form !== "delimited") {
      const count = countEmpty(type);
      return (skip = (cursor) => cursor.claim(count, 0));
    }
    this.budget.visit(type.fields.length);
    const steps = type.fields.map((field) => this.skipper(field));
    if (isPadded(type, this.form)) steps.push((cursor) => cursor.skip(1, 1));
    skip = this.delimit(runAll(steps));
    return skip;
  }

  /** Reads the picked values and skips the rest; what follows the last pick is not read. */
  private pickSteps(type: StructType, picks: readonly Pick[], slots: Slots, depth: number, last: boolean): Step {
    const byField = groupPicks(picks, depth);
    const final = last ? Math.max(...byField.keys()) : type.fields.length - 1;
    const steps: Step[] = [];
    for (const [at, field] of type.fields.entries()) {
      if (at > final) break;
      this.budget.visit();
      const own = byField.get(at);
      if (own === undefined) steps.push(this.skipper(field));
      else if (field.array === null) steps.push(this.pickOne(field.type, own, slots, depth + 1, last && at === final));
      else steps.push(this.pickElements(field, own, slots, depth + 1));
    }
    if (isPadded(type, this.form)) steps.push((cursor) => cursor.skip(1, 1));
    return this.delimit(runAll(steps));
  }

  private pickOne(
    type: ScalarType | StructType,
    picks: readonly Pick[],
    slots: Slots,
    depth: number,
    last: boolean,
  ): Step {
    if (typeof type !== "string") return this.pickSteps(type, picks, slots, depth, last);
    const { slot } = picks[0]!;
    const put = slots.putter(type);
    return (cursor) => put(cursor, slot);
  }

  private pickElements(field: StructField, picks: readonly Pick[], slots: Slots, depth: number): Step {
    const count = this.lengthReader(field);
    if (field.array?.length != null) {
      this.budget.visit(field.array.length);
      const steps: Step[] = [(cursor) => void count(cursor)];
      const skip = this.skipperOfOne(field.type);
      for (let at = 0; at < field.array.length; at++) {
        const own = picks.filter((pick) => pick.steps[depth] === at);
        steps.push(own.length === 0 ? skip : this.pickOne(field.type, own, slots, depth + 1, false));
      }
      return runAll(steps);
    }
    const { type } = field;
    const { list } = picks[0]!;
    if (typeof type !== "string") {
      const elements = [...groupPicks(picks, depth).values()];
      const each = elements.map((own) => this.pickSteps(type, own, slots, depth + 1, false));
      const skip = this.skipperOfOne(type);
      return (cursor) => {
        const length = count(cursor);
        const most = Math.min(slots.kept.take(list, length), each.length);
        for (let at = 0; at < most; at++) each[at]!(cursor);
        for (let left = length; left > most; left--) skip(cursor);
      };
    }
    const first = Math.min(...picks.map((pick) => pick.slot));
    const put = slots.putter(type);
    const bytes = SCALAR_BYTES[type];
    return (cursor) => {
      const length = count(cursor);
      const most = Math.min(slots.kept.take(list, length), picks.length);
      for (let at = 0; at < most; at++) put(cursor, first + at);
      if (type === "string") for (let left = length; left > most; left--) cursor.skipString();
      else cursor.skip(length - most, bytes);
    };
  }
}

/** One function for each type, so that each calls one method only. */
const scalars: Readonly<Record<ScalarType, Reading>> = {
  bool: (cursor) => cursor.bool(),
  int8: (cursor) => cursor.int8(),
  uint8: (cursor) => cursor.uint8(),
  int16: (cursor) => cursor.int16(),
  uint16: (cursor) => cursor.uint16(),
  int32: (cursor) => cursor.int32(),
  uint32: (cursor) => cursor.uint32(),
  int64: (cursor) => cursor.int64(),
  uint64: (cursor) => cursor.uint64(),
  float32: (cursor) => cursor.float32(),
  float64: (cursor) => cursor.float64(),
  string: (cursor) => cursor.string(),
  time: (cursor) => cursor.time(),
  duration: (cursor) => cursor.duration(),
};
const lists: Readonly<Record<ScalarType, (cursor: PayloadCursor, count: number) => unknown>> = {
  bool: (cursor, count) => cursor.bools(count),
  int8: (cursor, count) => cursor.int8s(count),
  uint8: (cursor, count) => cursor.uint8s(count),
  int16: (cursor, count) => cursor.int16s(count),
  uint16: (cursor, count) => cursor.uint16s(count),
  int32: (cursor, count) => cursor.int32s(count),
  uint32: (cursor, count) => cursor.uint32s(count),
  int64: (cursor, count) => cursor.int64s(count),
  uint64: (cursor, count) => cursor.uint64s(count),
  float32: (cursor, count) => cursor.float32s(count),
  float64: (cursor, count) => cursor.float64s(count),
  string: (cursor, count) => cursor.strings(count),
  time: (cursor, count) => cursor.times(count),
  duration: (cursor, count) => cursor.durations(count),
};
/** 64-bit integers as the nearest double. */
const numbers: Partial<Record<ScalarType, (cursor: PayloadCursor) => number>> = {
  int64: (cursor) => cursor.int64Number(),
  uint64: (cursor) => cursor.uint64Number(),
};
const plain = { enumerable: true, configurable: true, writable: true };
const leaveEntered: Step = (cursor) => cursor.leave(cursor.enter());

/** Where picked scalars go: numbers into one array, all else into the other. */
class Slots {
  private values: Float64Array = new Float64Array(0);
  private states: States = [];
  private readonly memos: TextMemo[];

  constructor(
    slots: number,
    readonly kept: KeptLists,
  ) {
    this.memos = Array.from({ length: slots }, () => ({ bytes: new Uint8Array(0), text: "" }));
  }

  /** The function that fills the arrays it is given by these steps. */
  fillBy(steps: Step): Picking {
    return (cursor, values, states) => {
      this.values = values;
      this.states = states;
      steps(cursor);
    };
  }

  putter(type: ScalarType): (cursor: PayloadCursor, slot: number) => void {
    if (type === "string") return (cursor, slot) => void (this.states[slot] = cursor.text(this.memos[slot]!));
    if (type === "bool") return (cursor, slot) => void (this.states[slot] = cursor.bool());
    if (type === "time") return (cursor, slot) => cursor.timeParts(this.values, slot);
    if (type === "duration") return (cursor, slot) => cursor.durationParts(this.values, slot);
    const read = numbers[type] ?? (scalars[type] as (cursor: PayloadCursor) => number);
    return (cursor, slot) => void (this.values[slot] = read(cursor));
  }
}
