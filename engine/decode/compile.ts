import { SCALAR_BYTES, type ScalarType, type StructField, type StructType } from "@/engine/decode/message-type";
import type { PayloadCursor, TextMemo } from "@/engine/decode/payload-cursor";

/** One value that `compileReader` reads out: where it lies, and the slot it is put in. */
export interface Pick {
  /** Field positions from the message down; an array element is the number after its array's field. */
  steps: readonly number[];
  slot: number;
}

export type Encoding = "ros1" | "cdr";

/** `delimited`: XCDR2 of appendable types, where structs and lists of other than primitive types follow their length. */
type Form = Encoding | "delimited";

const isPrimitive = (type: ScalarType | StructType): boolean =>
  typeof type === "string" && type !== "string" && type !== "time" && type !== "duration";

/**
 * Compiles message types to JavaScript functions, several times faster than walking the type for each message. The
 * code consists of fixed pieces, our own numbers and field names as JSON string literals; no other text of a file gets
 * into it.
 */
class Compiler {
  private readonly lines: string[] = [];
  private readonly readers = new Map<StructType, string>();
  private readonly skippers = new Map<StructType, string>();
  private readonly sizes = new Map<StructType, number>();

  constructor(private readonly form: Form) {}

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

  /** The minimum size of a value in bytes, without padding. */
  private sizeExpression(type: ScalarType | StructType): number {
    if (typeof type === "string") return SCALAR_BYTES[type];
    const known = this.sizes.get(type);
    if (known !== undefined) return known;
    let size = type.fields.length === 0 && this.form !== "ros1" ? 1 : 0;
    for (const field of type.fields) {
      const one = this.sizeExpression(field.type);
      size += field.array === null ? one : field.array.length === null ? 4 : field.array.length * one;
    }
    // Larger than any message: such a type can be declared but never read.
    size = Math.min(size, 2 ** 40);
    this.sizes.set(type, size);
    return size;
  }

  /** An expression for an array's length; unknown lengths are read and checked against the rest of the message. */
  private lengthExpression(field: StructField): string {
    const bytes = this.sizeExpression(field.type);
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
    const statements: string[] = [];
    const properties: string[] = [];
    for (const [i, field] of type.fields.entries()) {
      if (only !== undefined && !only.has(field.name)) statements.push(this.skipStatement(field));
      else {
        statements.push(`const v${i} = ${this.readExpression(field)};`);
        properties.push(`${formatKey(field.name)}: v${i}`);
      }
    }
    if (type.fields.length === 0 && this.form !== "ros1") statements.push("r.skip(1, 1);");
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
    const statements = type.fields.map((field) => this.skipStatement(field));
    if (type.fields.length === 0 && this.form !== "ros1") statements.push("r.skip(1, 1);");
    this.add(`function ${name}(r) { ${this.delimit(statements)} }`);
    return name;
  }

  skipStatements(type: StructType): string {
    return `${this.skipper(type)}(r);`;
  }

  /** Statements that read the picked values and skip the rest; what follows the last pick is not read. */
  pickStatements(type: StructType, picks: readonly Pick[], depth: number, last: boolean): string {
    const statements: string[] = [];
    const byField = new Map<number, Pick[]>();
    for (const pick of picks) {
      const list = byField.get(pick.steps[depth]!) ?? [];
      list.push(pick);
      byField.set(pick.steps[depth]!, list);
    }
    const final = last ? Math.max(...byField.keys()) : type.fields.length - 1;
    for (const [i, field] of type.fields.entries()) {
      if (i > final) break;
      const own = byField.get(i);
      if (own === undefined) statements.push(this.skipStatement(field));
      else if (field.array === null) statements.push(this.pickOne(field.type, own, depth + 1, last && i === final));
      else statements.push(this.pickElements(field, own, depth + 1));
    }
    if (type.fields.length === 0 && this.form !== "ros1") statements.push("r.skip(1, 1);");
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
      const parts = [`${enter}r.claim(${length}, ${this.sizeExpression(field.type)});`];
      for (let i = 0; i < length; i++) {
        const own = picks.filter((pick) => pick.steps[depth] === i);
        parts.push(own.length === 0 ? this.skipOne(field.type) : this.pickOne(field.type, own, depth + 1, false));
      }
      return parts.join("\n");
    }
    const first = Math.min(...picks.map((pick) => pick.slot));
    const type = field.type as ScalarType;
    const bytes = SCALAR_BYTES[type];
    const rest = type === "string" ? "for (; n > 0; n--) r.skipString();" : `r.skip(n, ${bytes});`;
    const each = `for (let i = 0; i < n; i++) { ${assignment(type, `${first} + i`)} }`;
    return `{ ${enter}let n = r.count(${bytes}); if (n <= ${picks.length}) { ${each} } else { ${rest} } }`;
  }
}

/** A statement that reads a scalar into its slot: numbers into one array, all else into the other. */
function assignment(type: ScalarType, slot: string): string {
  if (type === "string") return `states[${slot}] = r.text(memos[${slot}]);`;
  if (type === "bool") return `states[${slot}] = r.bool();`;
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

/** Chooses what was made for the form of the message at hand; for delimited ones it is made when the first appears. */
function byForm<T>(encoding: Encoding, make: (form: Form) => T): (cursor: PayloadCursor) => T {
  const plain = make(encoding);
  let delimited: T | undefined;
  return (cursor) => (cursor.delimited ? (delimited ??= make("delimited")) : plain);
}

/** A function that reads one complete message into plain objects; with `only`, just those fields of the message. */
export function compileDecoder(
  type: StructType,
  encoding: Encoding,
  only?: ReadonlySet<string>,
): (cursor: PayloadCursor) => unknown {
  const choose = byForm(encoding, (form) => {
    const compiler = new Compiler(form);
    return compiler.finish<(cursor: PayloadCursor) => unknown>(compiler.reader(type, only), { many });
  });
  return (cursor) => choose(cursor)(cursor);
}

type Picking = (cursor: PayloadCursor, values: Float64Array, states: (boolean | string | number | undefined)[]) => void;

/**
 * A function that reads only the picked scalars of a message, numbers into `values` and all else into `states`. Picks
 * of an array of unknown length must hold neighbouring slots; they are left alone when the array is longer.
 */
export function compileReader(type: StructType, encoding: Encoding, picks: readonly Pick[], slots: number): Picking {
  const choose = byForm(encoding, (form) => {
    const compiler = new Compiler(form);
    const memos: TextMemo[] = Array.from({ length: slots }, () => ({ bytes: new Uint8Array(0), text: "" }));
    // Without picks the message is checked as a whole: nothing else would tell that it does not match its schema.
    // Of an empty type there is nothing to miss: some writers leave out the byte that stands for it.
    const nothing = type.fields.length === 0 ? "" : compiler.skipStatements(type);
    const body = picks.length === 0 ? nothing : compiler.pickStatements(type, picks, 0, true);
    compiler.add(`function pick(r, values, states) {\n${body}\n}`);
    return compiler.finish<Picking>("pick", { memos });
  });
  return (cursor, values, states) => choose(cursor)(cursor, values, states);
}
