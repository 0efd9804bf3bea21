import { otherPath } from "@/domain/conditions/path";
import { parseDuration } from "@/domain/time/duration";
import {
  comparisons,
  ExpressionError,
  listFields,
  maxExpressionLength,
  products,
  sums,
  timeFunctions,
  type Expression,
  type FieldOperand,
  type Operator,
  type TimeFunctionName,
} from "@/engine/signals/expression";
import { elementwise, type ElementwiseName } from "@/engine/signals/expression-functions";

/** A topic of a recording, with the fields that have a value over time. */
export interface ExpressionTopic {
  name: string;
  fields: readonly { path: string; kind: string }[];
}

/** How deeply parts may lie inside each other, which bounds what reading and computing them take. */
const maxDepth = 32;
/** The most fields of an expression, each of which is read. */
const maxFields = 16;

const space = /\s*/y;
const numberShape = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?/y;
const durationShape = /(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+/y;
const wordShape = /[A-Za-z_]\w*/y;
const fieldShape =
  /\.?(?:[A-Za-z_]\w*|\[\d{1,9}\]|\["(?:[^"\\]|\\.)*"\])(?:\.[A-Za-z_]\w*|\[\d{1,9}\]|\["(?:[^"\\]|\\.)*"\])*/y;
/** What cannot follow a topic that is meant as a whole. */
const topicRest = /[\w/.[]/y;
const pathShape = /[^\s()+*^%,<>=!]+/y;

const isElementwise = (name: string): name is ElementwiseName => Object.hasOwn(elementwise, name);
const isTimeFunction = (name: string): name is TimeFunctionName => Object.hasOwn(timeFunctions, name);
const computable = new Set(["number", "boolean"]);

/** A place in a message: a field of its own, or one with others inside. */
interface Place {
  topic: ExpressionTopic;
  path: string;
  position: number;
}

/**
 * Reads an expression against the topics of a recording: topics may hold slashes, dots and dashes, so that only these
 * show where one ends. Throws an ExpressionError that names the position and what was expected.
 */
export function parseExpression(text: string, topics: readonly ExpressionTopic[]): Expression {
  if (text.length > maxExpressionLength)
    throw new ExpressionError(`An expression has at most ${maxExpressionLength} characters`, maxExpressionLength);
  return new ExpressionParser(text, topics).parse();
}

class ExpressionParser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly topics: readonly ExpressionTopic[],
  ) {}

  parse(): Expression {
    const expression = this.comparison();
    this.skip();
    if (this.position < this.text.length) this.fail(`Expected an operator, but found "${this.next}"`);
    const fields = listFields(expression);
    if (fields.length === 0) throw new ExpressionError("Expected at least one field, such as /topic.field", 0);
    if (fields.length > maxFields)
      throw new ExpressionError(`An expression has at most ${maxFields} fields, not ${fields.length}`);
    return expression;
  }

  private comparison(): Expression {
    const left = this.chain(sums, () => this.product());
    const operator = this.takeOperator(comparisons);
    if (!operator) return left;
    const right = this.chain(sums, () => this.product());
    this.skip();
    const start = this.position;
    if (this.takeOperator(comparisons)) this.fail("Comparisons cannot be chained; expected the end or )", start);
    return { kind: "operation", operator, left, right };
  }

  private product(): Expression {
    return this.chain(products, () => this.sign());
  }

  private chain(operators: readonly Operator[], operand: () => Expression): Expression {
    let left = operand();
    for (let operator = this.takeOperator(operators); operator; operator = this.takeOperator(operators)) {
      left = { kind: "operation", operator, left, right: operand() };
    }
    return left;
  }

  /** A sign binds less than a power: −2^2 is −4. */
  private sign(): Expression {
    this.skip();
    if (this.next !== "-" && this.next !== "+") return this.power();
    const isNegative = this.next === "-";
    this.position++;
    const of = this.inside(() => this.sign());
    if (!isNegative) return of;
    if (of.kind === "number") return { kind: "number", value: -of.value };
    return { kind: "operation", operator: "-", left: { kind: "number", value: 0 }, right: of };
  }

  /** From right to left: 2^3^2 is 2^9. */
  private power(): Expression {
    const left = this.operand();
    if (!this.takeOperator(["^"])) return left;
    return { kind: "operation", operator: "^", left, right: this.inside(() => this.sign()) };
  }

  private operand(): Expression {
    this.skip();
    const start = this.position;
    if (this.next === "(") {
      this.position++;
      const expression = this.inside(() => this.comparison());
      this.expect(")");
      return expression;
    }
    const number = this.take(numberShape);
    if (number !== null) return { kind: "number", value: Number(number) };
    const place = this.place();
    if (place) return this.field(place);
    const word = this.take(wordShape);
    if (word === "pi") return { kind: "number", value: Math.PI };
    this.skip();
    if (word !== null && this.next === "(") return this.call(word, start);
    this.position = start;
    if (this.next === "/" || word !== null) {
      const path = this.take(pathShape) ?? this.next;
      this.fail(
        word === null
          ? `This recording has no topic "${cut(path)}"; expected /topic.field`
          : `"${cut(path)}" is no field and no function; expected a number, /topic.field or a function`,
        start,
      );
    }
    return this.fail(
      this.position >= this.text.length
        ? "Expected a number, /topic.field or a function, but the expression ends"
        : `Expected a number, /topic.field or a function, but found "${this.next}"`,
    );
  }

  private call(name: string, start: number): Expression {
    if (!isElementwise(name) && !isTimeFunction(name))
      return this.fail(`"${cut(name)}" is no function; expected one such as abs, rate or mean`, start);
    this.position++;
    const expression = this.inside(() => (isTimeFunction(name) ? this.overTime(name) : this.elementwise(name, start)));
    this.expect(")");
    return expression;
  }

  private overTime(name: TimeFunctionName): Expression {
    this.skip();
    const start = this.position;
    const of = this.comparison();
    if (listFields(of).length === 0) this.fail(`${name} needs a field, such as ${name}(/topic.field)`, start);
    if (!timeFunctions[name].takesDuration) return { kind: "overTime", name, of, durationNs: 0 };
    this.expect(",", `${name} needs a duration, such as ${name}(…, 5s); expected a comma`);
    this.skip();
    const at = this.position;
    const duration = parseDuration(this.take(durationShape) ?? "");
    if (duration === null) return this.fail("Expected a duration such as 5s, 250ms or 1m30s, at most 30 days", at);
    return { kind: "overTime", name, of, durationNs: Number(duration) };
  }

  private elementwise(name: ElementwiseName, start: number): Expression {
    const { least, most, members } = elementwise[name];
    if (members) {
      const before = this.position;
      this.skip();
      const place = this.place();
      this.skip();
      if (place && this.next === ")") {
        const values = this.members(place, members);
        if (values) return { kind: "call", name, values };
      }
      this.position = before;
    }
    const values = [this.comparison()];
    while (this.takeOne(",")) values.push(this.comparison());
    if (values.length < least || values.length > most) {
      const count = least === most ? String(least) : `${least} to ${most}`;
      const other = members ? `, or a field that holds ${members.needed.join(", ")}` : "";
      this.fail(`${name} takes ${count} ${most === 1 ? "value" : "values"}${other}, not ${values.length}`, start);
    }
    return { kind: "call", name, values };
  }

  /** The members of a place, as an orientation has them; null where some are lacking. */
  private members(
    { topic, path }: Place,
    { needed, optional }: { needed: readonly string[]; optional: readonly string[] },
  ): FieldOperand[] | null {
    const find = (member: string): FieldOperand[] => {
      const field = path === "" ? member : `${path}.${member}`;
      return topic.fields.some((each) => each.path === field && computable.has(each.kind))
        ? [{ kind: "field", topic: topic.name, field }]
        : [];
    };
    const found = needed.flatMap(find);
    return found.length === needed.length ? [...found, ...optional.flatMap(find)] : null;
  }

  /** The topic and path that begin here, with the longest topic that leads to a field; null where no topic begins. */
  private place(): Place | null {
    const start = this.position;
    const begun = this.topics
      .filter(({ name }) => name !== "" && this.text.startsWith(name, start))
      .sort((a, b) => b.name.length - a.name.length);
    let first: { place: Place; end: number } | null = null;
    for (const topic of begun) {
      const position = (this.position = start + topic.name.length);
      const next = this.next;
      const taken = next === "." || next === "[" ? this.take(fieldShape) : null;
      if (taken === null && (next === "." || this.matches(topicRest))) continue;
      const place = { topic, path: (taken ?? "").replace(/^\./, ""), position };
      if (isKnown(place)) return place;
      first ??= { place, end: this.position };
    }
    this.position = first ? first.end : start;
    return first?.place ?? null;
  }

  private field({ topic, path, position }: Place): Expression {
    const names = [path, otherPath(path)];
    const found = topic.fields.find((field) => names.includes(field.path));
    if (found && computable.has(found.kind)) return { kind: "field", topic: topic.name, field: found.path };
    if (found)
      return this.fail(
        `"${cut(path)}" of ${cut(topic.name)} is ${found.kind === "time" ? "a time" : "text"}; expected a field of numbers`,
        position,
      );
    const inside = topic.fields.find((field) => path === "" || begins(field.path, path))?.path;
    return this.fail(
      inside === undefined
        ? `${cut(topic.name)} has no field "${cut(path)}"`
        : `"${cut(topic.name + (path && `.${path}`))}" holds several values; expected one of them, such as ${cut(inside)}`,
      position,
    );
  }

  private takeOperator<T extends Operator>(operators: readonly T[]): T | null {
    this.skip();
    const found = operators
      .filter((operator) => this.text.startsWith(operator, this.position))
      .sort((a, b) => b.length - a.length)[0];
    if (found === undefined) return null;
    this.position += found.length;
    return found;
  }

  private takeOne(character: string): boolean {
    this.skip();
    if (this.next !== character) return false;
    this.position++;
    return true;
  }

  private expect(character: string, message = `Expected "${character}"`): void {
    if (this.takeOne(character)) return;
    const found = this.position >= this.text.length ? "the expression ends" : `found "${this.next}"`;
    this.fail(`${message}, but ${found}`);
  }

  private inside<T>(read: () => T): T {
    if (++this.depth > maxDepth) this.fail(`Parts lie inside each other at most ${maxDepth} deep`);
    const result = read();
    this.depth--;
    return result;
  }

  private get next(): string {
    return this.text[this.position] ?? "";
  }

  private skip(): void {
    this.take(space);
  }

  private matches(shape: RegExp): boolean {
    shape.lastIndex = this.position;
    return shape.test(this.text);
  }

  private take(shape: RegExp): string | null {
    shape.lastIndex = this.position;
    const [match] = shape.exec(this.text) ?? [];
    if (match === undefined) return null;
    this.position += match.length;
    return match;
  }

  private fail(message: string, position = this.position): never {
    throw new ExpressionError(message, position);
  }
}

const begins = (field: string, path: string): boolean => field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

const isKnown = ({ topic, path }: Place): boolean => {
  const names = [path, otherPath(path)];
  return topic.fields.some((field) => path === "" || names.includes(field.path) || begins(field.path, path));
};

/** A name in an error: long ones are cut. */
const cut = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name);
