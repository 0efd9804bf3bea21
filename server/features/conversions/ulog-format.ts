import { latin1Text, toDataView, utf8Text } from "@/engine/bytes";

/** The scalars of ULog with their bytes and their names in ROS. */
const scalars: Readonly<Record<string, { bytes: 1 | 2 | 4 | 8; name: string }>> = {
  int8_t: { bytes: 1, name: "int8" },
  uint8_t: { bytes: 1, name: "uint8" },
  int16_t: { bytes: 2, name: "int16" },
  uint16_t: { bytes: 2, name: "uint16" },
  int32_t: { bytes: 4, name: "int32" },
  uint32_t: { bytes: 4, name: "uint32" },
  int64_t: { bytes: 8, name: "int64" },
  uint64_t: { bytes: 8, name: "uint64" },
  float: { bytes: 4, name: "float32" },
  double: { bytes: 8, name: "float64" },
  bool: { bytes: 1, name: "bool" },
  char: { bytes: 1, name: "uint8" },
};
const maxDepth = 16;
const maxSteps = 20_000;
/** A message of a log has no more. */
const maxBytes = 65_535;

interface Field {
  type: string;
  /** Elements of an array; null for a single value. */
  count: number | null;
  name: string;
}

/** Copies `count` values of `bytes` each; of a text, the bytes up to the first zero. Padding is skipped. */
interface Step {
  kind: "values" | "text" | "skip";
  bytes: number;
  count: number;
}

/** What is needed to write a topic's messages as CDR. */
export interface UlogLayout {
  /** The definition of the messages, as ROS 2 writes it. */
  definition: string;
  steps: readonly Step[];
  /** Bytes of the data without the padding at its end, which is not written. */
  minBytes: number;
  /** Bytes of the data with that padding. */
  bytes: number;
  /** Bytes before the field in the data; null where there is no such field of 64 bits. */
  find: (name: string) => number | null;
}

const countBytes = (steps: readonly Step[]): number => steps.reduce((sum, { bytes, count }) => sum + bytes * count, 0);

const fieldForm = /^([A-Za-z_]\w*)(?:\[(\d{1,5})\])? ([A-Za-z_]\w*)$/;

/** A format's name and fields: `name:type field;type[3] field;`. Null for a text that is none. */
function parseFormat(text: string): { name: string; fields: Field[] } | null {
  const colon = text.indexOf(":");
  const name = text.slice(0, colon);
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  const fields: Field[] = [];
  for (const part of text.slice(colon + 1).split(";")) {
    if (part === "") continue;
    const [, type = "", count, own = ""] = fieldForm.exec(part) ?? [];
    if (type === "") return null;
    fields.push({ type, count: count === undefined ? null : Number(count), name: own });
  }
  return fields.length === 0 ? null : { name, fields };
}

/** Neither data nor text: it only places what follows. */
const isPadding = ({ name }: Field): boolean => name.startsWith("_padding");

/** The formats that a log declares. */
export class UlogFormats {
  private readonly formats = new Map<string, Field[]>();
  private readonly layouts = new Map<string, UlogLayout | null>();
  /** Some format could not be read. */
  hasUnread = false;

  /** Adds the body of a message `F`. */
  add(body: Uint8Array): void {
    const format = parseFormat(latin1Text(body));
    if (format === null) return void (this.hasUnread = true);
    this.formats.set(format.name, format.fields);
    this.layouts.clear();
  }

  /** The layout of messages of a format; null for one that is not declared, or that cannot be read. */
  layout(name: string): UlogLayout | null {
    let layout = this.layouts.get(name);
    if (layout === undefined) this.layouts.set(name, (layout = this.makeLayout(name)));
    return layout;
  }

  private makeLayout(name: string): UlogLayout | null {
    const steps: Step[] = [];
    const used = new Set<string>();
    if (!this.addSteps(name, steps, used, 0)) return null;
    const last = steps.findLastIndex(({ kind }) => kind !== "skip");
    const minBytes = countBytes(steps.slice(0, last + 1));
    const bytes = countBytes(steps);
    if (bytes > maxBytes) return null;
    const sections = [...used].map(
      (type, at) => (at === 0 ? "" : `${"=".repeat(80)}\nMSG: px4/${type}\n`) + this.text(type),
    );
    return { definition: sections.join("\n"), steps, minBytes, bytes, find: (field) => this.find(name, field) };
  }

  private addSteps(name: string, steps: Step[], used: Set<string>, depth: number): boolean {
    const fields = this.formats.get(name);
    if (!fields || depth > maxDepth) return false;
    used.add(name);
    for (const field of fields) {
      const scalar = Object.hasOwn(scalars, field.type) ? scalars[field.type] : undefined;
      const count = field.count ?? 1;
      if (steps.length > maxSteps) return false;
      if (scalar) {
        const text = field.type === "char" && field.count !== null;
        steps.push({ kind: isPadding(field) ? "skip" : text ? "text" : "values", bytes: scalar.bytes, count });
        continue;
      }
      for (let at = 0; at < count; at++) if (!this.addSteps(field.type, steps, used, depth + 1)) return false;
    }
    return true;
  }

  private text(name: string): string {
    const lines = (this.formats.get(name) ?? []).flatMap((field) => {
      if (isPadding(field)) return [];
      const scalar = Object.hasOwn(scalars, field.type) ? scalars[field.type] : undefined;
      const type = scalar?.name ?? `px4/${field.type}`;
      if (field.type === "char" && field.count !== null) return [`string ${field.name}`];
      return [`${type}${field.count === null ? "" : `[${field.count}]`} ${field.name}`];
    });
    return lines.join("\n");
  }

  private find(name: string, wanted: string): number | null {
    let offset = 0;
    for (const { type, count, name: own } of this.formats.get(name) ?? []) {
      const scalar = Object.hasOwn(scalars, type) ? scalars[type] : undefined;
      if (own === wanted) return scalar?.bytes === 8 && count === null ? offset : null;
      if (!scalar) return null;
      offset += scalar.bytes * (count ?? 1);
    }
    return null;
  }
}

const encapsulation = Uint8Array.of(0, 1, 0, 0);

/** Writes the data of a log's message, of `minBytes` at least, as CDR. */
export function toCdr({ steps }: UlogLayout, data: Uint8Array): Uint8Array {
  // Each value takes at most seven bytes of padding; a text its length and a zero.
  const most = steps.reduce((sum, { bytes, count }) => sum + bytes * count + 15, encapsulation.length);
  const target = new Uint8Array(most);
  const view = toDataView(target);
  target.set(encapsulation);
  let from = 0;
  let to = encapsulation.length;
  for (const { kind, bytes, count } of steps) {
    const length = bytes * count;
    const part = data.subarray(from, from + length);
    from += length;
    if (kind === "skip") continue;
    const align = kind === "text" ? 4 : bytes;
    to += (align - ((to - encapsulation.length) % align)) % align;
    if (kind === "text") {
      const zero = part.indexOf(0);
      const text = zero < 0 ? part : part.subarray(0, zero);
      view.setUint32(to, text.length + 1, true);
      target.set(text, to + 4);
      to += 4 + text.length + 1;
    } else {
      target.set(part, to);
      to += length;
    }
  }
  return target.subarray(0, to);
}

/** A key of a log with its value. */
export interface UlogEntry {
  name: string;
  value: string;
  /** The value of a single number; null for texts, arrays and wider integers than a double holds. */
  number: { type: "int32" | "float32" | "float64"; value: number } | null;
}

/** The key and value of a message `I`, `P`, or of `M` without its first byte; null for one that cannot be read. */
export function readEntry(body: Uint8Array): UlogEntry | null {
  const keyLength = body[0] ?? 0;
  const key = latin1Text(body.subarray(1, 1 + keyLength));
  const [, type = "", count, name = ""] = /^([A-Za-z_]\w*)(?:\[(\d{1,5})\])? ([\w.-]+)$/.exec(key) ?? [];
  const bytes = body.subarray(1 + keyLength);
  const scalar = Object.hasOwn(scalars, type) ? scalars[type] : undefined;
  if (!scalar || name === "" || bytes.length < scalar.bytes * Number(count ?? 1)) return null;
  if (type === "char") return { name, value: utf8Text(bytes, 0, bytes.length), number: null };
  const view = toDataView(bytes);
  const read = (at: number): string => readScalar(view, at * scalar.bytes, scalar.name);
  const value = Array.from({ length: Number(count ?? 1) }, (_, at) => read(at)).join(" ");
  return { name, value, number: count === undefined ? readNumber(view, scalar.name, value) : null };
}

/** Parameters are of `int32` and `float32`, as the format says; others are kept as what holds them. */
function readNumber(view: DataView, type: string, text: string): UlogEntry["number"] {
  if (type === "float32") return { type, value: view.getFloat32(0, true) };
  if (type === "float64") return { type, value: view.getFloat64(0, true) };
  if (type === "int64" || type === "uint64") return null;
  if (type === "uint32") return { type: "float64", value: Number(text) };
  return { type: "int32", value: type === "bool" ? Number(text === "true") : Number(text) };
}

function readScalar(view: DataView, at: number, name: string): string {
  switch (name) {
    case "int8":
      return String(view.getInt8(at));
    case "int16":
      return String(view.getInt16(at, true));
    case "uint16":
      return String(view.getUint16(at, true));
    case "int32":
      return String(view.getInt32(at, true));
    case "uint32":
      return String(view.getUint32(at, true));
    case "int64":
      return String(view.getBigInt64(at, true));
    case "uint64":
      return String(view.getBigUint64(at, true));
    case "float32":
      return String(Number(view.getFloat32(at, true).toPrecision(7)));
    case "float64":
      return String(view.getFloat64(at, true));
    case "bool":
      return view.getUint8(at) === 0 ? "false" : "true";
    default:
      return String(view.getUint8(at));
  }
}
