import { emptyColumns, STRIDE, type Columns, type Extract, type Placed } from "@/engine/columns/column-batch";
import type { Layout, Step, StructsStep } from "@/engine/columns/layout";
import type { ScalarType } from "@/engine/decode/schemas/message-type";

/** What is read at `at`, as the double that stands in the column. */
function readScalar(view: DataView, type: ScalarType, at: number, little: boolean): number {
  switch (type) {
    case "bool":
      return view.getUint8(at) === 0 ? 0 : 1;
    case "int8":
      return view.getInt8(at);
    case "uint8":
      return view.getUint8(at);
    case "int16":
      return view.getInt16(at, little);
    case "uint16":
      return view.getUint16(at, little);
    case "int32":
      return view.getInt32(at, little);
    case "uint32":
      return view.getUint32(at, little);
    case "float32":
      return view.getFloat32(at, little);
    case "float64":
      return view.getFloat64(at, little);
    case "int64":
    case "uint64": {
      const [high, low] = little ? [at + 4, at] : [at, at + 4];
      const upper = type === "int64" ? view.getInt32(high, little) : view.getUint32(high, little);
      return upper * 0x1_0000_0000 + view.getUint32(low, little);
    }
    default:
      return NaN;
  }
}

/** Follows the steps of a layout message by message, with the results of the generated function. */
class Interpreter {
  private base = 0;
  private end = 0;
  private q = 0;
  private row = 0;
  /** Added to the slots of a struct in a list: how many lie before its own. */
  private offset = 0;
  private view: DataView = new DataView(new ArrayBuffer(0));
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly layout: Layout,
    private readonly little: boolean,
  ) {}

  rows({ view, bytes, starts, ends }: Placed, from: number, to: number, columns: Columns): number {
    this.view = view;
    this.bytes = bytes;
    for (let at = from; at < to; at++) {
      this.base = starts[at]! + (this.layout.cdr ? 4 : 0);
      this.end = ends[at]! - this.base;
      this.q = 0;
      this.offset = 0;
      this.row = at - from;
      if (this.end < 0 || !this.follow(this.layout.steps, columns)) return at;
    }
    return to;
  }

  private follow(steps: readonly Step[], columns: Columns): boolean {
    for (const step of steps) if (!this.step(step, columns)) return false;
    return true;
  }

  private length(length: number | null): number {
    return length ?? this.view.getUint32(this.base + this.q - 4, this.little);
  }

  private align(size: number): void {
    this.q = Math.ceil(this.q / size) * size;
  }

  /** Moves over `bytes`; false when the message is shorter. */
  private pass(bytes: number): boolean {
    if (bytes > this.end - this.q) return false;
    this.q += bytes;
    return true;
  }

  private put(slot: number, columns: Columns, length: number): void {
    const real = this.layout.cdr ? Math.max(0, length - 1) : length;
    columns.values[slot * STRIDE + this.row] = columns.texts.put(slot, this.bytes, this.base + this.q, real);
  }

  private step(step: Step, columns: Columns): boolean {
    switch (step.kind) {
      case "align":
        this.align(step.size);
        return true;
      case "run": {
        const from = this.base + this.q;
        if (!this.pass(step.bytes)) return false;
        for (const { at, type, slot } of step.reads)
          columns.values[(slot + this.offset) * STRIDE + this.row] = readScalar(
            this.view,
            type,
            from + at,
            this.little,
          );
        return true;
      }
      case "text": {
        const length = this.length(null);
        if (length > this.end - this.q) return false;
        if (step.slot >= 0) this.put(step.slot + this.offset, columns, length);
        return this.pass(length);
      }
      case "skip": {
        const length = this.length(step.length);
        if (length === 0) return true;
        this.align(step.align);
        return this.pass(length * step.size);
      }
      case "repeat": {
        const length = this.length(step.length);
        if (length * step.least > this.end - this.q) return false;
        for (let left = length; left > 0; left--) if (!this.follow(step.body, columns)) return false;
        return true;
      }
      case "list":
        return this.list(step, columns);
      case "structs":
        return this.structs(step, columns);
    }
  }

  /** How many elements of a list are read; empties the slots of those that are missing. */
  private count(
    length: number,
    { slot, stride, count, group }: Pick<StructsStep, "slot" | "stride" | "count" | "group">,
    { groups, lengths, lists, values }: Columns,
  ): number {
    const taken = lists.refused[group] === 1 ? 0 : Math.min(length, count);
    if (taken > groups[2 * group]!) {
      emptyColumns(values, slot + groups[2 * group]! * stride, slot + taken * stride, this.row);
      groups[2 * group] = taken;
    }
    lengths[group * STRIDE + this.row] = taken;
    groups[2 * group + 1] = Math.min(groups[2 * group + 1]!, taken);
    const end = slot + groups[2 * group]! * stride;
    for (let at = slot + taken * stride; at < end; at++) values[at * STRIDE + this.row] = NaN;
    return taken;
  }

  private structs(step: StructsStep, columns: Columns): boolean {
    const length = this.length(null);
    if (length * step.least > this.end - this.q) return false;
    const taken = this.count(length, step, columns);
    for (let at = 0; at < length; at++) {
      this.offset = at < taken ? at * step.stride : 0;
      if (!this.follow(at < taken ? step.body : step.rest, columns)) return false;
    }
    this.offset = 0;
    return true;
  }

  private list(step: Step & { kind: "list" }, columns: Columns): boolean {
    const { type, size, align, slot } = step;
    const { values } = columns;
    const length = this.length(null);
    if (length * size > this.end - this.q) return false;
    const taken = this.count(length, { ...step, stride: 1 }, columns);
    if (length === 0) return true;
    if (type !== "string") {
      this.align(align);
      const from = this.base + this.q;
      if (!this.pass(length * size)) return false;
      for (let j = 0; j < taken; j++)
        values[(slot + j) * STRIDE + this.row] = readScalar(this.view, type, from + j * size, this.little);
      return true;
    }
    for (let j = 0; j < length; j++) {
      this.align(align);
      if (!this.pass(4)) return false;
      const bytes = this.length(null);
      if (bytes > this.end - this.q) return false;
      if (j < taken) this.put(slot + j, columns, bytes);
      this.q += bytes;
    }
    return true;
  }
}

/** Reads by a layout without generating code, for pages whose content policy forbids it; a third as fast. */
export function interpretExtract(layout: Layout, little: boolean): Extract {
  const interpreter = new Interpreter(layout, little);
  return (placed, from, to, columns) => interpreter.rows(placed, from, to, columns);
}
