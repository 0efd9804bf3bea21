import { generateOnce } from "@/engine/code-generation";
import { emptyColumns, STRIDE, type Extract, type Texts } from "@/engine/columns/column-batch";
import type { Layout, Step, StructsStep } from "@/engine/columns/layout";
import type { KeptLists } from "@/engine/decode/kept-lists";
import type { ScalarType } from "@/engine/decode/schemas/message-type";

type Rows = (
  view: DataView,
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
  from: number,
  to: number,
  out: Float64Array,
  texts: Texts,
  groups: Int32Array,
  lengths: Uint8Array,
  refused: Uint8Array,
  empty: typeof emptyColumns,
) => number;

const reader = (type: ScalarType, at: string, little: boolean): string => {
  const wide = (signed: "Int32" | "Uint32"): string => {
    const [high, low] = little ? [4, 0] : [0, 4];
    return `(view.get${signed}(${at} + ${high}, ${little}) * 4294967296 + view.getUint32(${at} + ${low}, ${little}))`;
  };
  switch (type) {
    case "bool":
      return `(bytes[${at}] === 0 ? 0 : 1)`;
    case "int8":
      return `view.getInt8(${at})`;
    case "uint8":
      return `bytes[${at}]`;
    case "int16":
      return `view.getInt16(${at}, ${little})`;
    case "uint16":
      return `view.getUint16(${at}, ${little})`;
    case "int32":
      return `view.getInt32(${at}, ${little})`;
    case "uint32":
      return `view.getUint32(${at}, ${little})`;
    case "float32":
      return `view.getFloat32(${at}, ${little})`;
    case "float64":
      return `view.getFloat64(${at}, ${little})`;
    case "int64":
      return wide("Int32");
    case "uint64":
      return wide("Uint32");
    default:
      return "NaN";
  }
};

/** Elements of a list that are read without a loop. */
const maxUnrolled = 32;

type ListStep = Step & { kind: "list" };

class Generator {
  readonly lines: string[] = [];
  private names = 0;
  /** Added to the slots of a struct in a list: how many lie before its own. */
  private offset = "";

  constructor(
    private readonly cdr: boolean,
    private readonly little: boolean,
    private readonly lists: KeptLists,
  ) {}

  steps(steps: readonly Step[]): void {
    for (const step of steps) this.step(step);
  }

  private length(length: number | null): string {
    if (length !== null) return String(length);
    const name = `n${this.names++}`;
    this.lines.push(`const ${name} = view.getUint32(b + q - 4, ${this.little});`);
    return name;
  }

  private align(size: number): void {
    if (size > 1) this.lines.push(`q = (q + ${size - 1}) & ${-size};`);
  }

  private step(step: Step): void {
    const { lines } = this;
    switch (step.kind) {
      case "align":
        this.align(step.size);
        break;
      case "run":
        lines.push(`if (q + ${step.bytes} > e) return r;`);
        for (const { at, type, slot } of step.reads)
          lines.push(`${this.place(slot)} = ${reader(type, `b + q + ${at}`, this.little)};`);
        lines.push(`q += ${step.bytes};`);
        break;
      case "text": {
        const n = this.length(null);
        lines.push(`if (${n} > e - q) return r;`);
        if (step.slot >= 0) lines.push(this.text(`${step.slot}${this.offset}`, n));
        lines.push(`q += ${n};`);
        break;
      }
      case "skip": {
        const n = this.length(step.length);
        lines.push(`if (${n} > 0) {`);
        this.align(step.align);
        lines.push(`if (${n} * ${step.size} > e - q) return r;`, `q += ${n} * ${step.size};`, "}");
        break;
      }
      case "repeat": {
        const n = this.length(step.length);
        const k = `k${this.names++}`;
        lines.push(`if (${n} * ${step.least} > e - q) return r;`, `for (let ${k} = ${n}; ${k} > 0; ${k}--) {`);
        this.steps(step.body);
        lines.push("}");
        break;
      }
      case "list":
        this.list(step);
        break;
      case "structs":
        this.structs(step);
    }
  }

  private place(slot: number): string {
    return this.offset === "" ? `out[${slot * STRIDE} + i]` : `out[(${slot}${this.offset}) * ${STRIDE} + i]`;
  }

  private text(slot: string, length: string): string {
    // CDR counts the zero byte behind a text.
    const real = this.cdr ? `(${length} === 0 ? 0 : ${length} - 1)` : length;
    return `out[(${slot}) * ${STRIDE} + i] = texts.put(${slot}, bytes, b + q, ${real});`;
  }

  /** Opens a block with the number `m` of elements that are read, and empties the slots of those that are missing. */
  private count(
    n: string,
    { slot, stride, count, group }: Pick<StructsStep, "slot" | "stride" | "count" | "group">,
  ): void {
    const { lines } = this;
    lines.push(`{ const m = refused[${group}] === 1 ? 0 : ${n} < ${count} ? ${n} : ${count};`);
    lines.push(`lengths[${group * STRIDE} + i] = m;`);
    const longest = `groups[${2 * group}]`;
    const behind = (elements: string) => `${slot} + ${elements}${stride === 1 ? "" : ` * ${stride}`}`;
    lines.push(`if (m > ${longest}) { empty(out, ${behind(longest)}, ${behind("m")}, i); ${longest} = m; }`);
    lines.push(`if (m < groups[${2 * group + 1}]) groups[${2 * group + 1}] = m;`);
    lines.push(`for (let j = ${behind("m")}; j < ${behind(longest)}; j++) out[j * ${STRIDE} + i] = NaN;`);
  }

  private structs(step: StructsStep): void {
    const { lines } = this;
    const n = this.length(null);
    lines.push(`if (${n} * ${step.least} > e - q) return r;`);
    this.count(n, step);
    const [k, o] = [`k${this.names}`, `o${this.names++}`];
    lines.push(`for (let ${k} = 0; ${k} < m; ${k}++) { const ${o} = ${k} * ${step.stride};`);
    this.offset = ` + ${o}`;
    this.steps(step.body);
    this.offset = "";
    lines.push(`} for (let ${k} = m; ${k} < ${n}; ${k}++) {`);
    this.steps(step.rest);
    lines.push("} }");
  }

  private list({ type, size, align, slot, count, group }: ListStep): void {
    const { lines } = this;
    const n = this.length(null);
    lines.push(`if (${n} * ${size} > e - q) return r;`);
    this.count(n, { slot, stride: 1, count, group });
    if (type === "string") this.textList(slot, n, align);
    else {
      lines.push(`if (${n} > 0) {`);
      this.align(align);
      lines.push(`if (${n} * ${size} > e - q) return r;`);
      const read = (j: string, at: string) =>
        `out[${j} * ${STRIDE} + i] = ${reader(type, `b + q + ${at}`, this.little)};`;
      // Lists are as long as the first one mostly.
      const usual = Math.min(this.lists.last(group), count);
      if (usual > 0 && usual <= maxUnrolled) {
        lines.push(`if (m === ${usual}) {`);
        for (let j = 0; j < usual; j++) lines.push(read(String(slot + j), String(j * size)));
        lines.push("} else");
      }
      lines.push("for (let j = 0; j < m; j++)", read(`(${slot} + j)`, `j * ${size}`), `q += ${n} * ${size}; }`);
    }
    lines.push("}");
  }

  /** The names of joints, which are the same in every message. */
  private textList(slot: number, n: string, align: number): void {
    const { lines } = this;
    lines.push(`if (${n} > 0) {`);
    this.align(align);
    const form = `${n} * 2 + ${this.little ? 1 : 0}`;
    lines.push(`const same = texts.findRepeated(${slot}, ${form}, view, b + q, e - q); if (same > 0) {`);
    lines.push(`for (let j = 0; j < m; j++) out[(${slot} + j) * ${STRIDE} + i] = texts.last[${slot} + j];`);
    lines.push(`q += same; } else { const first = q; for (let j = 0; j < ${n}; j++) {`);
    this.align(align);
    lines.push("if (q + 4 > e) return r;", `const s = view.getUint32(b + q, ${this.little}); q += 4;`);
    lines.push("if (s > e - q) return r;", `if (j < m) { ${this.text(`${slot} + j`, "s")} }`, "q += s; }");
    lines.push(`texts.rememberList(${slot}, ${form}, bytes, b + first, q - first); } }`);
  }
}

/**
 * Compiles a layout to a function of its own: ten times faster than closures, three times than the interpreter. Only
 * offsets, sizes and slots of ours enter the code, and no text of a schema does. `lists`: of a channel
 * whose first message was read. Throws where code generation is not allowed.
 */
export function generateExtract(layout: Layout, little: boolean, lists: KeptLists): Extract {
  const generator = new Generator(layout.cdr, little, lists);
  generator.steps(layout.steps);
  const body = `"use strict"; return function extract(view, bytes, starts, ends, from, to, out, texts, groups, lengths, refused, empty) {
for (let r = from, i = 0; r < to; r++, i++) { const b = starts[r]${layout.cdr ? " + 4" : ""}; const e = ends[r] - b; let q = 0;
if (e < 0) return r;
${generator.lines.join("\n")}
} return to; };`;
  const rows = generateOnce<Rows>(body);
  return ({ view, bytes, starts, ends }, from, to, columns) => {
    const { values, texts, groups, lengths, lists: kept } = columns;
    return rows(view, bytes, starts, ends, from, to, values, texts, groups, lengths, kept.refused, emptyColumns);
  };
}
