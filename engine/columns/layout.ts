import type { Slot } from "@/engine/columns/column-batch";
import { structFields, type StructLeaf } from "@/engine/decode/fields";
import { createLeastBytes } from "@/engine/decode/reading-form";
import { SCALAR_BYTES, type ScalarType, type StructField, type StructType } from "@/engine/decode/schemas/message-type";
import { PlanBudget } from "@/engine/decode/schemas/plan-budget";
import { listSlots } from "@/engine/decode/time-parts";
import { RecordingError } from "@/engine/formats/recording-error";

/** The scalars that are read at a fixed distance from the reading position. */
interface FixedRead {
  at: number;
  type: ScalarType;
  slot: number;
}

/**
 * One step of reading a message, from the position `q`, which counts from where alignment does.
 *
 * - `align`: moves to the next multiple.
 * - `run`: checks once that `bytes` are left, reads scalars of them, moves behind.
 * - `text`: a text whose length lies in the four bytes before `q`.
 * - `skip`: `length` (null: the number before `q`) elements of `size` bytes, aligned when there are any.
 * - `repeat`: as many times the steps of `body`; an element takes `least` bytes or more.
 * - `list`: up to `count` elements into the slots from `slot` on, none of a list that is not kept.
 * - `structs`: the same of structs, each of which takes `stride` slots: `body` reads the first of them, and `rest` passes
 *   those that are not kept.
 */
export type Step =
  | { kind: "align"; size: number }
  | { kind: "run"; bytes: number; reads: FixedRead[] }
  | { kind: "text"; slot: number }
  | { kind: "skip"; length: number | null; size: number; align: number }
  | { kind: "repeat"; length: number | null; least: number; body: Step[] }
  | { kind: "list"; type: ScalarType; size: number; align: number; slot: number; count: number; group: number }
  | StructsStep;

export interface StructsStep {
  kind: "structs";
  least: number;
  slot: number;
  stride: number;
  count: number;
  group: number;
  body: Step[];
  rest: Step[];
}

/** How the payloads of a schema are read into columns. */
export interface Layout {
  slots: Slot[];
  steps: Step[];
  /** Bytes before the first value, and whether values are aligned. */
  cdr: boolean;
}

/** Positions of fields down to a slot. */
type Tree = Map<number, Tree | number>;

/** Larger types, which use each other repeatedly, are read message by message instead. */
const maxSteps = 4000;
/** Longer than any message. */
const maxRunBytes = 2 ** 40;

class TooLarge extends Error {}

const getAlignment = (type: ScalarType): number =>
  type === "time" || type === "duration" || type === "string" ? 4 : SCALAR_BYTES[type];

/** The types of the parts of times. */
const cdrTime = ["int32", "uint32"] as const;
const ros1Times = { time: ["uint32", "uint32"], duration: ["int32", "int32"] } as const;

class LayoutBuilder {
  private steps: Step[] = [];
  private total = 0;
  /** `q` is a multiple of `known` at the start of the open run, of which `bytes` are planned. */
  private known = 8;
  private bytes = 0;
  private reads: FixedRead[] = [];
  groups = 0;
  private readonly budget = new PlanBudget();
  private readonly least: (type: ScalarType | StructType) => number;
  /** Of structs that are part of one run where nothing of them is read: their bytes, by what lies before them. */
  private readonly passed = new Map<StructType, Map<number, number>>();

  constructor(
    private readonly aligned: boolean,
    /** The widest alignment: 4 in the second version of CDR. */
    private readonly widest: number,
    private readonly slots: readonly Slot[],
  ) {
    this.least = createLeastBytes(aligned ? "cdr" : "ros1");
  }

  finish(): Step[] {
    this.commit();
    return this.steps;
  }

  private add(step: Step): void {
    if (++this.total > maxSteps) throw new TooLarge();
    this.steps.push(step);
  }

  private commit(): void {
    if (this.bytes > 0) this.add({ kind: "run", bytes: this.bytes, reads: this.reads });
    while (this.bytes % this.known !== 0) this.known /= 2;
    this.reads = [];
    this.bytes = 0;
  }

  private forget(): void {
    this.commit();
    this.known = 1;
  }

  private align(wanted: number): void {
    const size = Math.min(wanted, this.widest);
    if (!this.aligned || size === 1) return;
    if (this.known >= size) {
      this.bytes = Math.ceil(this.bytes / size) * size;
      return;
    }
    this.commit();
    this.add({ kind: "align", size });
    this.known = size;
  }

  private alignment(type: ScalarType): number {
    return this.aligned ? Math.min(getAlignment(type), this.widest) : 1;
  }

  private scalar(type: ScalarType, slot: number): void {
    if (type === "string") {
      this.align(4);
      this.bytes += 4;
      this.commit();
      this.add({ kind: "text", slot });
      this.known = 1;
      return;
    }
    this.align(getAlignment(type));
    if (slot >= 0 && (type === "time" || type === "duration")) {
      const [seconds, nanoseconds] = this.aligned ? cdrTime : ros1Times[type];
      this.reads.push(
        { at: this.bytes, type: seconds, slot },
        { at: this.bytes + 4, type: nanoseconds, slot: slot + 1 },
      );
    } else if (slot >= 0) this.reads.push({ at: this.bytes, type, slot });
    this.bytes += SCALAR_BYTES[type];
    if (this.bytes > maxRunBytes) throw new TooLarge();
  }

  private value(type: ScalarType | StructType, tree: Tree | number | undefined): void {
    if (typeof type === "string") this.scalar(type, typeof tree === "number" ? tree : -1);
    else if (tree === undefined || typeof tree === "number") this.pass(type);
    else this.struct(type, tree);
  }

  /** A struct of which nothing is read. One that adds no step adds the same bytes wherever it lies the same. */
  private pass(type: StructType): void {
    let known = this.passed.get(type);
    if (known === undefined) this.passed.set(type, (known = new Map()));
    const place = this.known * 8 + (this.bytes % 8);
    const bytes = known.get(place);
    if (bytes !== undefined) {
      this.bytes += bytes;
      if (this.bytes > maxRunBytes) throw new TooLarge();
      return;
    }
    const { total: steps, bytes: before } = this;
    this.struct(type, undefined);
    if (this.total === steps) known.set(place, this.bytes - before);
  }

  private skipMany(type: ScalarType | StructType, length: number | null): void {
    if (typeof type === "string" && type !== "string") {
      this.commit();
      const align = this.alignment(type);
      this.add({ kind: "skip", length, size: SCALAR_BYTES[type], align });
      this.known = 1;
      return;
    }
    const { least, body } = this.element(type, undefined);
    this.add({ kind: "repeat", length, least, body });
  }

  /** The steps of one of many elements, wherever it lies; it takes `least` bytes or more. */
  private element(type: ScalarType | StructType, tree: Tree | undefined): { least: number; body: Step[] } {
    this.forget();
    const least = this.least(type);
    // Elements without bytes could be declared without end.
    if (least === 0) throw new TooLarge();
    const outer = this.steps;
    this.steps = [];
    this.value(type, tree);
    this.forget();
    const body = this.steps;
    this.steps = outer;
    return { least, body };
  }

  struct(type: StructType, tree: Tree | undefined): void {
    this.budget.visit();
    if (type.fields.length === 0 && this.aligned) this.bytes += 1;
    for (const [i, field] of type.fields.entries()) {
      this.budget.visit();
      const own = tree?.get(i);
      const length = field.array?.length;
      if (length === undefined) this.value(field.type, own);
      else if (length === null) this.list(field, own);
      else if (length === 0) continue;
      else if (own === undefined || typeof own === "number") this.skipMany(field.type, length);
      else for (let n = 0; n < length; n++) this.value(field.type, own.get(n));
    }
  }

  private list(field: StructField, own: Tree | number | undefined): void {
    this.align(4);
    this.bytes += 4;
    this.commit();
    if (own === undefined || typeof own === "number") {
      this.skipMany(field.type, null);
      return;
    }
    if (typeof field.type !== "string") {
      this.structs(field.type, own);
      return;
    }
    const slot = own.get(0);
    if (typeof slot !== "number") throw new TooLarge();
    const size = SCALAR_BYTES[field.type];
    const align = this.alignment(field.type);
    this.add({ kind: "list", type: field.type, size, align, slot, count: own.size, group: this.groups });
    this.groups += 1;
    this.known = 1;
  }

  private structs(type: StructType, own: Tree): void {
    const tree = own.get(0);
    const slot = findFirst(tree);
    if (slot === undefined || typeof tree !== "object") throw new TooLarge();
    const { groups: group } = this;
    const stride = this.slots.filter((each) => each.group === group && each.element === 0).length;
    const { least, body } = this.element(type, tree);
    const { body: rest } = this.element(type, undefined);
    this.add({ kind: "structs", least, slot, stride, count: own.size, group, body, rest });
    this.groups += 1;
    this.known = 1;
  }
}

/** The first slot of a tree. */
function findFirst(tree: Tree | number | undefined): number | undefined {
  if (typeof tree !== "object") return tree;
  const [first] = tree.values();
  return findFirst(first);
}

function typeAt(root: StructType, steps: readonly number[]): ScalarType {
  let type: ScalarType | StructType = root;
  for (let at = 0; at < steps.length; at++) {
    if (typeof type === "string") break;
    const field: StructField = type.fields[steps[at]!]!;
    type = field.type;
    if (field.array !== null) at += 1;
  }
  if (typeof type !== "string") throw new TooLarge();
  return type;
}

function toSlot({ info, list, element }: StructLeaf, type: ScalarType): Slot {
  const holds = info.kind === "time" ? "time" : type === "string" ? "text" : type === "bool" ? "boolean" : "number";
  const whole = type !== "string" && type !== "bool" && type !== "float32" && type !== "float64";
  // Names of numbers that are none are left to the reader of single messages.
  if (info.enumValues !== undefined && !whole) throw new TooLarge();
  const long = type === "int64" || type === "uint64";
  return { field: info, holds, long, always: list < 0, group: list, element };
}

/**
 * How messages of a type are read into columns, for each of its scalars; null for types that only the reader
 * of single messages takes. `widest` is the widest alignment of CDR in bytes. Every step checks all of a message, so
 * that what is read here could also be decoded as a whole.
 */
export function planLayout(type: StructType, encoding: "cdr" | "ros1", widest = 8): Layout | null {
  const leaves = structFields(type);
  if (new Set(leaves.map(({ info }) => info.path)).size < leaves.length) return null;
  const root: Tree = new Map();
  const slots: Slot[] = [];
  let lists = 0;
  try {
    for (const leaf of leaves) {
      let tree = root;
      for (const step of leaf.steps.slice(0, -1)) {
        const next = tree.get(step) ?? new Map<number, Tree | number>();
        if (typeof next === "number") return null;
        tree.set(step, next);
        tree = next;
      }
      tree.set(leaf.steps.at(-1)!, slots.length);
      const made = toSlot(leaf, typeAt(type, leaf.steps));
      lists = Math.max(lists, leaf.list + 1);
      for (const field of listSlots(leaf.info)) slots.push({ ...made, field });
    }
    const builder = new LayoutBuilder(encoding === "cdr", widest, slots);
    builder.struct(type, root);
    const steps = builder.finish();
    // Lists are numbered in the order of the schema on both sides.
    return builder.groups === lists ? { slots, steps, cdr: encoding === "cdr" } : null;
  } catch (error) {
    if (error instanceof TooLarge || error instanceof RecordingError) return null;
    throw error;
  }
}
