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
} from "@/engine/decode/reading-form";
import { SCALAR_BYTES, type ScalarType, type StructField, type StructType } from "@/engine/decode/schemas/message-type";
import { PlanBudget } from "@/engine/decode/schemas/plan-budget";

/**
 * Compiles message types to JavaScript functions. The code consists of fixed pieces, our own numbers and field names as JSON string literals; no other text of a file gets
 * into it.
 */
class Compiler {
  private readonly lines: string[] = [];
  private readonly readers = new Map<StructType, string>();
  private readonly skippers = new Map<StructType, string>();
  private readonly budget = new PlanBudget();

  private readonly leastBytes: (type: ScalarType | StructType) => number;

  constructor(private readonly form: Form) {
    this.leastBytes = createLeastBytes(form);
  }

  finish<T>(entry: string, extra: Record<string, unknown> = {}): T {
    const names = Object.keys(extra);
    const body = `"use strict";\n${this.lines.join("\n")}\nreturn ${entry};`;
    // Compilation is intended here; text of a recording enters only as JSON string literals.
    // oxlint-disable-next-line typescript/no-implied-eval
    const make = new Function(...names, body) as (...values: unknown[]) => T;
    return make(...names.map((name) => extra[name]));
  }

  add(line: string): void {
    this.lines.push(line);
  }

  /** An expression for an array's length; unknown lengths are read and checked against the rest of the message. */
  private lengthExpression(field: StructField): string {
    const bytes = this.leastBytes(field.type);
    const enter = this.form === "delimited" && !isPrimitive(field.type) ? "r.enter(), " : "";
    if (field.array?.length == null) return `(${enter}r.count(${bytes}))`;
    return `(${enter}r.claim(${field.array.length}, ${bytes}), ${field.array.length})`;
  }

  private readExpression(field: StructField): string {
    if (typeof field.type === "string") {
      return field.array === null ? `r.${field.type}()` : `r.${field.type}s(${this.lengthExpression(field)})`;
    }
    const reader = this.reader(field.type);
    return field.array === null ? `${reader}(r)` : `many(r, ${this.lengthExpression(field)}, ${reader})`;
  }

  reader(type: StructType, only?: ReadonlySet<string>): string {
    const known = this.readers.get(type);
    if (known !== undefined && only === undefined) return known;
    const name = `read${this.readers.size}`;
    this.readers.set(type, name);
    const statements: string[] = this.leastBytes(type) === 0 ? ["r.claim(1, 0);"] : [];
    const properties: string[] = [];
    for (const [i, field] of type.fields.entries()) {
      this.budget.visit();
      if (only !== undefined && !only.has(field.name)) statements.push(this.skipStatement(field));
      else {
        statements.push(`const v${i} = ${this.readExpression(field)};`);
        properties.push(`${formatKey(field.name)}: v${i}`);
      }
    }
    if (isPadded(type, this.form)) statements.push("r.skip(1, 1);");
    this.add(`function ${name}(r) { ${this.delimit(statements)} return { ${properties.join(", ")} }; }`);
    return name;
  }

  /** The statements of a struct between its length and its end, where it has a length. */
  private delimit(statements: readonly string[]): string {
    const body = statements.join("\n");
    return this.form === "delimited" ? `const end = r.enter(); ${body} r.leave(end);` : body;
  }

  private skipStatement(field: StructField): string {
    const { type, array } = field;
    if (array === null) return this.skipOne(type);
    if (this.form === "delimited" && !isPrimitive(type)) return "r.leave(r.enter());";
    const length = this.lengthExpression(field);
    if (typeof type === "string" && type !== "string") {
      // Two 32-bit numbers are aligned as one.
      return type === "time" || type === "duration"
        ? `r.skip(2 * ${length}, 4);`
        : `r.skip(${length}, ${SCALAR_BYTES[type]});`;
    }
    return `for (let n = ${length}; n > 0; n--) { ${this.skipOne(type)} }`;
  }

  private skipOne(type: ScalarType | StructType): string {
    if (this.form === "delimited" && type !== "string" && !isPrimitive(type)) return "r.leave(r.enter());";
    if (typeof type !== "string") return `${this.skipper(type)}(r);`;
    if (type === "string") return "r.skipString();";
    return type === "time" || type === "duration" ? "r.skip(2, 4);" : `r.skip(1, ${SCALAR_BYTES[type]});`;
  }

  private skipper(type: StructType): string {
    const known = this.skippers.get(type);
    if (known !== undefined) return known;
    const name = `skip${this.skippers.size}`;
    this.skippers.set(type, name);
    if (this.leastBytes(type) === 0 && this.form !== "delimited") {
      this.add(`function ${name}(r) { r.claim(${countEmpty(type)}, 0); }`);
      return name;
    }
    this.budget.visit(type.fields.length);
    const statements = type.fields.map((field) => this.skipStatement(field));
    if (isPadded(type, this.form)) statements.push("r.skip(1, 1);");
    this.add(`function ${name}(r) { ${this.delimit(statements)} }`);
    return name;
  }

  skipStatements(type: StructType): string {
    return `${this.skipper(type)}(r);`;
  }

  /** Statements that read the picked values and skip the rest; what follows the last pick is not read. */
  pickStatements(type: StructType, picks: readonly Pick[], depth: number, last: boolean): string {
    const statements: string[] = [];
    const byField = groupPicks(picks, depth);
    const final = last ? Math.max(...byField.keys()) : type.fields.length - 1;
    for (const [i, field] of type.fields.entries()) {
      if (i > final) break;
      this.budget.visit();
      const own = byField.get(i);
      if (own === undefined) statements.push(this.skipStatement(field));
      else if (field.array === null) statements.push(this.pickOne(field.type, own, depth + 1, last && i === final));
      else statements.push(this.pickElements(field, own, depth + 1));
    }
    if (isPadded(type, this.form)) statements.push("r.skip(1, 1);");
    return `{ ${this.delimit(statements)} }`;
  }

  private pickOne(type: ScalarType | StructType, picks: readonly Pick[], depth: number, last: boolean): string {
    if (typeof type !== "string") return this.pickStatements(type, picks, depth, last);
    return assignment(type, String(picks[0]!.slot));
  }

  private pickElements(field: StructField, picks: readonly Pick[], depth: number): string {
    const length = field.array?.length ?? null;
    const enter = this.form === "delimited" && !isPrimitive(field.type) ? "r.enter(); " : "";
    if (length !== null) {
      const parts = [`${enter}r.claim(${length}, ${this.leastBytes(field.type)});`];
      this.budget.visit(length);
      const picked = Math.max(...picks.map((pick) => pick.steps[depth]!)) + 1;
      for (let i = 0; i < picked; i++) {
        const own = picks.filter((pick) => pick.steps[depth] === i);
        parts.push(own.length === 0 ? this.skipOne(field.type) : this.pickOne(field.type, own, depth + 1, false));
      }
      if (picked < length) parts.push(`for (let n = ${length - picked}; n > 0; n--) { ${this.skipOne(field.type)} }`);
      return parts.join("\n");
    }
    const { type } = field;
    if (typeof type !== "string") return this.pickStructs(type, picks, depth, enter);
    const first = Math.min(...picks.map((pick) => pick.slot));
    const bytes = SCALAR_BYTES[type];
    const rest = type === "string" ? "for (; n > m; n--) r.skipString();" : `r.skip(n - m, ${bytes});`;
    const each = `for (let i = 0; i < m; i++) { ${assignment(type, `${first} + i`)} }`;
    const most = `const m = Math.min(kept.take(${picks[0]!.list}, n), ${picks.length});`;
    return `{ ${enter}let n = r.count(${bytes}); ${most} ${each} ${rest} }`;
  }

  /** The first elements of a list of structs of unknown length, one after another. */
  private pickStructs(type: StructType, picks: readonly Pick[], depth: number, enter: string): string {
    const elements = groupPicks(picks, depth);
    const { list } = picks[0]!;
    const parts = [...elements].map(
      ([at, own]) => `if (m > ${at}) ${this.pickStatements(type, own, depth + 1, false)}`,
    );
    const rest = `for (let k = m; k < n; k++) { ${this.skipOne(type)} }`;
    return `{ ${enter}const n = r.count(${this.leastBytes(type)}); const m = Math.min(kept.take(${list}, n), ${elements.size}); ${parts.join("\n")} ${rest} }`;
  }
}

/** A statement that reads a scalar into its slot: numbers and the parts of times into one array, all else into the other. */
function assignment(type: ScalarType, slot: string): string {
  if (type === "string") return `states[${slot}] = r.text(memos[${slot}]);`;
  if (type === "bool") return `states[${slot}] = r.bool();`;
  if (type === "time" || type === "duration") return `r.${type}Parts(values, ${slot});`;
  return `values[${slot}] = r.${type}${type === "int64" || type === "uint64" ? "Number" : ""}();`;
}

/** A property of an object literal; `__proto__` would set the prototype unless computed. */
function formatKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : JSON.stringify(name);
}

function many(cursor: PayloadCursor, count: number, read: (cursor: PayloadCursor) => unknown): unknown[] {
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) list.push(read(cursor));
  return list;
}

/** Readers made as text, which runs several times faster than walking the type for each message. */
export class GeneratedReaders implements Readers {
  constructor(private readonly form: Form) {}

  decoder(type: StructType, only?: ReadonlySet<string>): Reading {
    const compiler = new Compiler(this.form);
    return compiler.finish<Reading>(compiler.reader(type, only), { many });
  }

  picker(type: StructType, picks: readonly Pick[], slots: number, kept: KeptLists): Picking {
    const compiler = new Compiler(this.form);
    const memos: TextMemo[] = Array.from({ length: slots }, () => ({ bytes: new Uint8Array(0), text: "" }));
    // Without picks the message is checked as a whole: nothing else would tell that it does not match its schema.
    // Of an empty type there is nothing to miss: some writers leave out the byte that stands for it.
    const nothing = type.fields.length === 0 ? "" : compiler.skipStatements(type);
    const body = picks.length === 0 ? nothing : compiler.pickStatements(type, picks, 0, true);
    compiler.add(`function pick(r, values, states) {\n${body}\n}`);
    return compiler.finish<Picking>("pick", { memos, kept });
  }
}
