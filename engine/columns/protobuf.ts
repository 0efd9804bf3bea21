import { joinPath } from "@/domain/conditions/path";
import { generateOnce } from "@/engine/code-generation";
import { STRIDE, type Extract, type Slot, type Texts } from "@/engine/columns/column-batch";
import type { FieldInfo } from "@/engine/decode/fields";
import { isTime } from "@/engine/decode/protobuf";
import { getMapValue, ProtoType, type ProtoField, type ProtoMessage } from "@/engine/decode/schemas/proto-schema";
import { listSlots } from "@/engine/decode/time-parts";

/** Types with more scalars, deeper ones, and those with more paths to their scalars are read message by message. */
const maxSlots = 200;
const maxDepth = 8;
const maxVisits = 200;

class Unsuited extends Error {}

type Rows = (
  view: DataView,
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
  from: number,
  to: number,
  out: Float64Array,
  texts: Texts,
) => number;

const longTypes: ReadonlySet<number> = new Set([
  ProtoType.int64,
  ProtoType.uint64,
  ProtoType.fixed64,
  ProtoType.sfixed64,
  ProtoType.sint64,
]);

function getWire({ type }: ProtoField): number {
  switch (type) {
    case ProtoType.double:
    case ProtoType.fixed64:
    case ProtoType.sfixed64:
      return 1;
    case ProtoType.float:
    case ProtoType.fixed32:
    case ProtoType.sfixed32:
      return 5;
    case ProtoType.string:
      return 2;
    default:
      return 0;
  }
}

function toExpression({ type }: ProtoField, slot: number): string {
  switch (type) {
    case ProtoType.double:
      return "view.getFloat64(take(8), true)";
    case ProtoType.float:
      return "view.getFloat32(take(4), true)";
    case ProtoType.fixed32:
      return "view.getUint32(take(4), true)";
    case ProtoType.sfixed32:
      return "view.getInt32(take(4), true)";
    case ProtoType.fixed64:
      return "fixed(take(8), 0)";
    case ProtoType.sfixed64:
      return "fixed(take(8), 1)";
    case ProtoType.string:
      return `text(${slot}, texts)`;
    case ProtoType.bool:
      return "((varint() | high) === 0 ? 0 : 1)";
    case ProtoType.uint32:
      return "varint()";
    case ProtoType.sint32:
      return "sint()";
    case ProtoType.int64:
      return "long(0)";
    case ProtoType.uint64:
      return "long(1)";
    case ProtoType.sint64:
      return "zigzag()";
    default:
      return "(varint() | 0)";
  }
}

/** Throws 0 for whatever the decoder of single messages refuses too; `at` is only compared with ends afterwards. */
const prelude = `"use strict"; let view, bytes, at = 0, high = 0, limit = 0;
function varint() { let b = bytes[at++]; if (b < 128) { high = 0; return b; } let low = b & 127;
b = bytes[at++]; low |= (b & 127) << 7; if (b < 128) { high = 0; return low; }
b = bytes[at++]; low |= (b & 127) << 14; if (b < 128) { high = 0; return low; }
b = bytes[at++]; low |= (b & 127) << 21; if (b < 128) { high = 0; return low; }
b = bytes[at++]; low |= (b & 127) << 28; high = (b & 127) >> 4;
for (let s = 3; b >= 128; s += 7) { if (s > 31) throw 0; b = bytes[at++]; high |= (b & 127) << s; }
high >>>= 0; return low >>> 0; }
function length() { const n = varint(); if (high !== 0 || n > limit - at) throw 0; return n; }
function take(n) { const from = at; at += n; if (at > limit) throw 0; return from; }
function skip(wire, depth) { if (wire === 0) varint(); else if (wire === 1) at += 8; else if (wire === 5) at += 4;
else if (wire === 2) { const n = length(); at += n; } else if (wire === 3 && depth < 64) { for (;;) { const inner = varint() & 7;
if (at > limit) throw 0; if (inner === 4) return; skip(inner, depth + 1); } } else throw 0; }
function text(slot, texts) { const n = length(); at += n; return texts.put(slot, bytes, at - n, n); }
function sint() { const low = varint(); return (low >>> 1) ^ -(low & 1); }
function long(unsigned) { const low = varint(); return (unsigned ? high : high | 0) * 4294967296 + low; }
function fixed(p, signed) { return (signed ? view.getInt32(p + 4, true) : view.getUint32(p + 4, true)) * 4294967296 + view.getUint32(p, true); }
function zigzag() { const low = varint(); const x = (BigInt(high) << 32n) | BigInt(low); return Number((x >> 1n) ^ -(x & 1n)); }
`;

const isTimeLike = ({ fields }: ProtoMessage): boolean =>
  fields.some(({ name }) => name === "sec") && fields.some(({ name }) => name === "nsec" || name === "nanosec");

class ProtoPlanner {
  readonly slots: Slot[] = [];
  readonly functions: string[] = [];
  private visits = 0;

  constructor(private readonly known: ReadonlyMap<string, FieldInfo>) {}

  /** Adds the function that reads a type at a path, and returns its name. */
  add(type: ProtoMessage, path: string, above: readonly ProtoMessage[]): string {
    if (++this.visits > maxVisits || above.length > maxDepth) throw new Unsuited();
    const cases: string[] = [];
    const before: string[] = [];
    const after: string[] = [];
    const names = new Set<string>();
    // What looks like a time is one, in each message by itself.
    if (above.length > 1 && isTimeLike(type)) throw new Unsuited();
    for (const field of type.fields) {
      const { name, number, message } = field;
      if (names.has(name) || name === "__proto__" || type.byNumber.get(number) !== field) throw new Unsuited();
      names.add(name);
      if (field.type === ProtoType.bytes || field.type === ProtoType.group) continue;
      const own = joinPath(path, name);
      const value = getMapValue(field);
      // Nothing is read of maps of bytes; what the keys of others are is known from messages only.
      if (value?.type === ProtoType.bytes) continue;
      if (value) throw new Unsuited();
      if (message !== null) {
        // A type within itself has no end.
        if (above.includes(message)) continue;
        if (field.repeated) throw new Unsuited();
        if (isTime(message)) {
          if (!field.presence) throw new Unsuited();
          before.push(this.put(this.slots.length, "NaN"), this.put(this.slots.length + 1, "NaN"));
          cases.push(this.case(number, 2, this.addTime(message, own, above.length)));
          continue;
        }
        if (!field.presence) throw new Unsuited();
        const first = this.slots.length;
        const inner = this.add(message, own, [...above, message]);
        for (let slot = first; slot < this.slots.length; slot++) before.push(this.put(slot, "NaN"));
        cases.push(this.case(number, 2, `const n = length(); ${inner}(i, at + n, out, texts);`));
      } else this.addScalar(field, own, above.length === 1, { cases, before, after });
    }
    const function_ = `f${this.functions.length}`;
    this.functions.push(
      `function ${function_}(i, stop, out, texts) { ${before.join("")}
while (at < stop) { const tag = varint(); switch (tag >>> 3) { ${cases.join("\n")}
default: skip(tag & 7, ${above.length - 1}); } } if (at !== stop) throw 0; ${after.join("")} }`,
    );
    return function_;
  }

  /** Reads a time into two slots; parts that it lacks are 0. */
  private addTime(type: ProtoMessage, path: string, depth: number): string {
    const [seconds, nanos] = ["seconds", "nanos"].map((name) => type.fields.find((field) => field.name === name));
    const known = this.known.get(path);
    const isUsual = seconds?.type === ProtoType.int64 && nanos?.type === ProtoType.int32 && type.fields.length === 2;
    if (!isUsual || seconds.repeated || nanos.repeated || seconds.number === nanos.number) throw new Unsuited();
    if (known?.kind !== "time" || path.length > 512) throw new Unsuited();
    const first = this.slots.length;
    if (first + 1 >= maxSlots) throw new Unsuited();
    for (const field of listSlots(known))
      this.slots.push({ field, holds: "time", long: false, always: false, group: -1, element: 0 });
    const cases = [
      this.case(seconds.number, 0, this.put(first, "long(0)")),
      this.case(nanos.number, 0, this.put(first + 1, "(varint() | 0)")),
    ];
    return `const n = length(); const stop = at + n; ${this.put(first, "0")} ${this.put(first + 1, "0")}
while (at < stop) { const tag = varint(); switch (tag >>> 3) { ${cases.join("\n")}
default: skip(tag & 7, ${depth}); } } if (at !== stop) throw 0;`;
  }

  private addScalar(
    field: ProtoField,
    path: string,
    top: boolean,
    { cases, before, after }: Record<"cases" | "before" | "after", string[]>,
  ): void {
    const { type, enumValues, presence, repeated, number } = field;
    const slot = this.slots.length;
    const known = this.known.get(path);
    const unsuited = repeated || slot >= maxSlots || !known || (enumValues !== null && type !== ProtoType.enum);
    if (unsuited || path.length > 512) throw new Unsuited();
    const holds = type === ProtoType.string ? "text" : type === ProtoType.bool ? "boolean" : "number";
    const long = longTypes.has(type);
    this.slots.push({ field: known, holds, long, always: top && !presence, group: -1, element: 0 });
    before.push(this.put(slot, presence || holds === "text" ? "NaN" : "0"));
    // An absent text is the empty one. It is looked up last, so that a text that repeats stays the one looked up last.
    if (holds === "text" && !presence) {
      const place = `out[${slot * STRIDE} + i]`;
      after.push(`if (${place} !== ${place}) ${this.put(slot, `texts.put(${slot}, bytes, 0, 0)`)}`);
    }
    cases.push(this.case(number, getWire(field), this.put(slot, toExpression(field, slot))));
  }

  private put(slot: number, value: string): string {
    return `out[${slot * STRIDE} + i] = ${value};`;
  }

  private case(number: number, wire: number, body: string): string {
    return `case ${Math.trunc(number)}: { if ((tag & 7) !== ${wire}) throw 0; ${body} break; }`;
  }
}

/**
 * Compiles the reading of a protobuf type into columns: a switch over field numbers for each message type. Only numbers
 * that were checked enter the code, and no name of a schema does. Null for types with lists or maps, and for large
 * and unusual ones. `known`: the type's fields by path. A message at which the function stops is one that cannot be
 * decoded at all.
 */
export function planProtobuf(
  root: ProtoMessage,
  known: ReadonlyMap<string, FieldInfo>,
): { slots: Slot[]; extract: Extract } | null {
  const planner = new ProtoPlanner(known);
  let entry: string;
  try {
    entry = planner.add(root, "", [root]);
  } catch (error) {
    if (error instanceof Unsuited) return null;
    throw error;
  }
  const body = `${prelude}${planner.functions.join("\n")}
return function extract(v, b, starts, ends, from, to, out, texts) { view = v; bytes = b;
for (let r = from, i = 0; r < to; r++, i++) { at = starts[r]; limit = ends[r];
try { ${entry}(i, limit, out, texts); } catch (e) { if (e !== 0 && !(e instanceof RangeError)) throw e; return end(r); } }
return end(to); };
function end(row) { view = bytes = null; return row; }`;
  const rows = generateOnce<Rows>(body);
  return {
    slots: planner.slots,
    extract: ({ view, bytes, starts, ends }, from, to, { values, texts }) =>
      rows(view, bytes, starts, ends, from, to, values, texts),
  };
}
