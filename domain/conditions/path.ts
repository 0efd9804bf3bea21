import { canonicalOperator, countOperators, type CountOperator } from "@/domain/conditions/operators";

export type PathStep =
  | { kind: "key"; key: string }
  | { kind: "index"; index: number }
  /** Both ends belong to the slice, as in the path syntax of the field's viewers; negative ones count from the end. */
  | { kind: "slice"; from: number; to: number }
  | { kind: "filter"; path: PathStep[]; operator: CountOperator; value: string | number | boolean };

const maxPathSteps = 16;

/** Why a field path cannot be read, and at which character (from 0). */
export class PathError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`${message} at position ${position}.`);
  }
}

const unreachable = new Set(["__proto__", "constructor", "prototype"]);
const nameShape = /[^.[\]{}"'=<>!\s](?:[^.[\]{}"'=<>!]*[^.[\]{}"'=<>!\s])?/y;
const wholeShape = /\s*(-?\d{1,15})?\s*/y;
const operatorShape = /\s*(==|!=|>=|<=|>|<)\s*/y;
const literalShape = /(true|false)\b|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?/y;

class PathReader {
  position = 0;

  constructor(private readonly text: string) {}

  fail(message: string): never {
    throw new PathError(message, this.position);
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  get next(): string {
    return this.text[this.position] ?? "";
  }

  take(shape: RegExp): RegExpExecArray | null {
    shape.lastIndex = this.position;
    const match = shape.exec(this.text);
    if (match) this.position += match[0].length;
    return match;
  }

  expect(character: string): void {
    if (this.next !== character) this.fail(this.done ? `"${character}" is missing` : `Expected "${character}"`);
    this.position++;
  }

  quoted(): string {
    const quote = this.next;
    let text = "";
    for (let at = this.position + 1; at < this.text.length; at++) {
      const character = this.text.charAt(at);
      if (character === quote) {
        this.position = at + 1;
        return text;
      }
      text += character === "\\" && at + 1 < this.text.length ? this.text.charAt(++at) : character;
    }
    return this.fail("The quotation mark is not closed");
  }

  key(): PathStep {
    const start = this.position;
    const key = this.next === '"' || this.next === "'" ? this.quoted() : (this.take(nameShape)?.[0] ?? "");
    if (key !== "" && !unreachable.has(key)) return { kind: "key", key };
    this.position = start;
    return this.fail(key === "" ? "A field name is missing" : `"${key}" is not a field name`);
  }

  bracket(): PathStep {
    this.expect("[");
    if (this.next === '"' || this.next === "'") {
      const step = this.key();
      this.expect("]");
      return step;
    }
    const first = this.take(wholeShape)?.[1];
    if (this.next === ":") {
      this.position++;
      const last = this.take(wholeShape)?.[1];
      this.expect("]");
      return { kind: "slice", from: Number(first ?? 0), to: Number(last ?? -1) };
    }
    if (first === undefined) this.fail("Expected an index, a slice or a quoted key");
    this.expect("]");
    return { kind: "index", index: Number(first) };
  }

  literal(): string | number | boolean {
    if (this.next === '"' || this.next === "'") return this.quoted();
    const match = this.take(literalShape);
    if (!match) return this.fail("Expected a quoted text, a number, true or false");
    if (match[1]) return match[1] === "true";
    const number = Number(match[0]);
    // Beyond 2^53 the digits are kept as text, which is compared exactly.
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? match[0] : number;
  }

  filter(): PathStep {
    this.expect("{");
    this.take(/\s*/y);
    const path = this.steps(true);
    const operator = this.take(operatorShape)?.[1];
    const name = countOperators.find((known) => known === canonicalOperator(operator ?? ""));
    if (!name) return this.fail("Expected ==, !=, >, >=, < or <=");
    const value = this.literal();
    this.take(/\s*/y);
    this.expect("}");
    return { kind: "filter", path, operator: name, value };
  }

  /** Within a filter, slices and filters are not allowed, and the steps end where the operator begins. */
  steps(withinFilter: boolean): PathStep[] {
    const steps: PathStep[] = [];
    for (;;) {
      const start = this.position;
      const step = this.step(steps.length === 0, withinFilter);
      if (!step) return steps;
      steps.push(step);
      if (steps.length > maxPathSteps) {
        this.position = start;
        this.fail(`A path has at most ${maxPathSteps} steps; one too many`);
      }
    }
  }

  private step(first: boolean, withinFilter: boolean): PathStep | null {
    if (this.next === "[") {
      const start = this.position;
      const step = this.bracket();
      if (!withinFilter || step.kind !== "slice") return step;
      this.position = start;
      return this.fail("A filter cannot contain a slice");
    }
    if (this.next === "{" && !withinFilter) return this.filter();
    if (first) return this.key();
    if (this.next === ".") {
      this.position++;
      return this.key();
    }
    if (this.done || withinFilter) return null;
    return this.fail(`"${this.next}" is not expected`);
  }
}

/**
 * The steps of a field path such as `a.b[0]`, `data[-1]`, `ranges[1:3]`, `["odd.key"]` or `values{key=="temp"}.value`.
 * A leading topic is dropped when it is the condition's own. Throws a PathError.
 */
export function parsePath(field: string, topic: string): PathStep[] {
  const prefix = field.startsWith("/") && field.startsWith(`${topic}.`) ? topic.length + 1 : 0;
  const reader = new PathReader(field);
  reader.position = prefix;
  if (prefix === 0 && field.startsWith("/"))
    reader.fail("The field names another topic; the path starts below the message");
  return reader.steps(false);
}

/** The names of the nanoseconds of a time: `nsec` in ROS 1, `nanosec` in ROS 2. Paths may use either for both. */
export const nanosecondNames = ["nsec", "nanosec"] as const;

/** The other name of the nanoseconds of a time; undefined for every other key. */
export const otherName = (key: string): string | undefined =>
  key === "nsec" ? "nanosec" : key === "nanosec" ? "nsec" : undefined;

/** A plain field path with the other name of the nanoseconds that it ends with; null when it ends otherwise. */
export function otherPath(path: string): string | null {
  const start = path.lastIndexOf(".") + 1;
  const other = otherName(path.slice(start));
  return other === undefined ? null : path.slice(0, start) + other;
}

/** The keys of a path joined by dots, without indices and filters: how schemas name a field. */
export const plainPath = (steps: PathStep[]): string =>
  steps.flatMap((step) => (step.kind === "key" ? [step.key] : [])).join(".");

/** A path of keys and positions as fields are listed; null for one that may name several values. */
export function formatSteps(steps: readonly PathStep[]): string | null {
  let path = "";
  for (const step of steps) {
    if (step.kind === "key") path = joinPath(path, step.key);
    else if (step.kind === "index" && step.index >= 0) path += `[${step.index}]`;
    else return null;
  }
  return path;
}

/** A path as fields are listed, with quotes only where a key needs them; null for one that names no single value. */
export function normalizePath(path: string): string | null {
  try {
    return formatSteps(parsePath(path, ""));
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

/** Appends a key to a path; keys that are not plain names are quoted in brackets. */
export function joinPath(path: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
