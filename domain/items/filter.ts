import { findItemStatus, isItemStatus, itemStatuses, itemStatusLabels } from "@/domain/datasets/item-status";
import { FilterError, isKeyword, scanFilter, type Token } from "@/domain/items/filter-tokens";
import { dateFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";

/**
 * The filter language of slices and exports: `status = completed AND (metadata.width >= 1280 OR key ~ front) AND NOT
 * label IN (car, "traffic light")`. Keywords are case-insensitive; `*` in a text matches anything; `~` is a
 * case-insensitive contains.
 */
export type Filter = Span &
  (
    | { type: "and" | "or"; parts: Filter[] }
    | { type: "not"; part: Filter }
    | { type: "is"; field: FilterField; operator: Operator; values: Value[] }
  );

/** Where it stands in the source, with its parentheses: from a character up to but not including `to`. */
export interface Span {
  from: number;
  to: number;
}

export type FilterField = (typeof fixedFields)[number] | `metadata.${string}`;
export type Operator = "=" | "!=" | ">" | ">=" | "<" | "<=" | "~" | "IN";
export interface Value extends Span {
  text: string;
  /** A quoted value is always a text. */
  quoted: boolean;
}

export const maxFilterLength = 4_096;
const maxDepth = 32;

/** Parses a filter; null for an empty one, which matches everything. Throws a FilterError. */
export function parseFilter(source: string): Filter | null {
  if (source.trim() === "") return null;
  const { tokens, error } = scanFilter(source);
  if (error) throw error;
  return new Parser(tokens, source.length).parse();
}

/** The conditions that all have to hold: the parts of an AND that is not in parentheses, else the filter itself. */
export function filterConditions(filter: Filter | null): Filter[] {
  if (filter === null) return [];
  return filter.type === "and" ? filter.parts : [filter];
}

export const fixedFields = [
  "status",
  "key",
  "created_at",
  "annotations_count",
  "label",
  "project",
  "uid",
  "media",
  "sequence",
  "device",
  "recording",
  "rule",
  "result",
  "prediction",
  "score",
] as const;

/** What the files of items are, as `media` names them. */
const mediaKinds = ["image", "video", "points", "recording"] as const;

/** The statuses of results, as `result` names them. */
const resultStates = ["submitted", "accepted", "rejected"] as const;

/** The fields that are compared with one of a few values; `*` in one stands for anything. */
const fieldChoices = { status: itemStatuses, media: mediaKinds, result: resultStates } as const;

type ChoiceField = keyof typeof fieldChoices;
const isChoiceField = (field: FilterField): field is ChoiceField => Object.hasOwn(fieldChoices, field);

/** The values that a field can have; null for a field of any value. */
export const listChoices = (field: FilterField): readonly string[] | null =>
  isChoiceField(field) ? fieldChoices[field] : null;

/** What people call a value of a field, by which a filter may name it too; null where they have no other word. */
export const choiceLabel = (field: FilterField, choice: string): string | null =>
  field === "status" && isItemStatus(choice) ? itemStatusLabels[choice] : null;

class Parser {
  private next = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly length: number,
  ) {}

  parse(): Filter {
    const filter = this.parseOr(0);
    const rest = this.peek();
    if (rest) throw unexpected("AND, OR or the end", rest);
    return filter;
  }

  private peek(): Token | undefined {
    return this.tokens[this.next];
  }

  private take(what: string): Token {
    const token = this.tokens[this.next++];
    if (!token) throw new FilterError(`Expected ${what}`, this.length, this.length);
    return token;
  }

  private parseOr(depth: number): Filter {
    const parts = [this.parseAnd(depth)];
    while (isKeyword(this.peek(), "OR")) {
      this.next++;
      parts.push(this.parseAnd(depth));
    }
    return joined("or", parts);
  }

  private parseAnd(depth: number): Filter {
    const parts = [this.parseTerm(depth)];
    while (isKeyword(this.peek(), "AND")) {
      this.next++;
      parts.push(this.parseTerm(depth));
    }
    return joined("and", parts);
  }

  private parseTerm(depth: number): Filter {
    const token = this.take("a field, NOT or (");
    if (depth >= maxDepth)
      throw new FilterError(`At most ${maxDepth} levels of NOT and parentheses`, token.from, token.to);
    if (isKeyword(token, "NOT")) {
      const part = this.parseTerm(depth + 1);
      return { type: "not", part, from: token.from, to: part.to };
    }
    if (token.kind === "(") {
      const filter = this.parseOr(depth + 1);
      const close = this.take("a closing parenthesis");
      if (close.kind !== ")") throw unexpected("AND, OR or )", close);
      return { ...filter, from: token.from, to: close.to };
    }
    return this.parseComparison(token);
  }

  private parseComparison(token: Token): Filter {
    const field = parseField(token);
    const operator = this.take("an operator");
    const { from } = token;
    if (isKeyword(operator, "NOT") && isKeyword(this.peek(), "IN")) {
      this.next++;
      const part = checked({ type: "is", field, operator: "IN", ...this.parseList(from) }, token);
      return { type: "not", part, from, to: part.to };
    }
    if (isKeyword(operator, "IN"))
      return checked({ type: "is", field, operator: "IN", ...this.parseList(from) }, token);
    if (operator.kind !== "operator") throw unexpected("= != > >= < <= ~ or IN", operator);
    const value = this.parseValue();
    return checked(
      { type: "is", field, operator: operator.text as Operator, values: [value], from, to: value.to },
      operator,
    );
  }

  private parseList(from: number): Span & { values: Value[] } {
    const open = this.take("an opening parenthesis");
    if (open.kind !== "(") throw unexpected("( after IN", open);
    const values = [this.parseValue()];
    for (;;) {
      const token = this.take("a comma or )");
      if (token.kind === ")") return { values, from, to: token.to };
      if (token.kind !== ",") throw unexpected("a comma or )", token);
      values.push(this.parseValue());
    }
  }

  private parseValue(): Value {
    const token = this.take("a value");
    if (token.kind !== "word" && token.kind !== "quoted") throw unexpected("a value", token);
    return { text: token.text, quoted: token.kind === "quoted", from: token.from, to: token.to };
  }
}

const unexpected = (wanted: string, { text, from, to }: Token): FilterError =>
  new FilterError(`Expected ${wanted}, not "${text}"`, from, to);

function joined(type: "and" | "or", parts: Filter[]): Filter {
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  return { type, parts, from: first?.from ?? 0, to: parts.at(-1)?.to ?? 0 };
}

/** Whether a word names a field. */
export const isField = (text: string): text is FilterField =>
  fixedFields.some((name) => name === text) || /^metadata(\.[\p{L}\p{N}_-]{1,100}){1,8}$/u.test(text);

function parseField(token: Token): FilterField {
  const { text, from, to } = token;
  if (token.kind === "word" && isField(text)) return text;
  throw new FilterError(`Unknown field "${text}". Fields: ${fixedFields.join(", ")}, metadata.<path>`, from, to);
}

type Comparison = Extract<Filter, { type: "is" }>;

const choiceOperators: readonly Operator[] = ["=", "!=", "IN"];
const nameOperators: readonly Operator[] = ["=", "!=", "~", "IN"];

const allowed: Record<(typeof fixedFields)[number], readonly Operator[]> = {
  status: choiceOperators,
  key: ["=", "!=", "~", "IN", ">", ">=", "<", "<="],
  created_at: ["=", "!=", ">", ">=", "<", "<="],
  annotations_count: ["=", "!=", ">", ">=", "<", "<=", "IN"],
  label: nameOperators,
  project: nameOperators,
  uid: choiceOperators,
  media: choiceOperators,
  sequence: nameOperators,
  device: nameOperators,
  recording: nameOperators,
  rule: nameOperators,
  result: choiceOperators,
  prediction: nameOperators,
  score: ["=", "!=", ">", ">=", "<", "<="],
};

const choiceNames = {
  status: ["a status", "Statuses"],
  media: ["a kind of media", "Kinds"],
  result: ["a status of results", "Statuses"],
} as const;

/** The operators that a field is compared by. */
export const fieldOperators = (field: FilterField): readonly Operator[] =>
  Object.hasOwn(allowed, field)
    ? allowed[field as (typeof fixedFields)[number]]
    : ["=", "!=", ">", ">=", "<", "<=", "~", "IN"];

export const isNumber = ({ text, quoted }: Pick<Value, "text" | "quoted">): boolean =>
  !quoted && /^-?\d{1,15}(\.\d{1,15})?$/.test(text);

/** A time of a filter, or a date, which means its midnight UTC. Null for anything else. */
export const parseTime = (text: string): Date | null => {
  const ns = parseDateTimeNs(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  return ns === null ? null : dateFromNs(ns);
};

const isChoice = (choices: readonly string[], text: string): boolean => text.includes("*") || choices.includes(text);

/** A value of a field of few values, in the word that the field has for it. Throws a FilterError at one that it has not. */
function toChoice(field: ChoiceField, value: Value): Value {
  const text = field === "status" ? (findItemStatus(value.text) ?? value.text) : value.text;
  if (isChoice(fieldChoices[field], text)) return { ...value, text };
  const [name, names] = choiceNames[field];
  const choices = fieldChoices[field].join(", ");
  throw new FilterError(`"${text}" is not ${name}. ${names}: ${choices}`, value.from, value.to);
}

/**
 * The comparison with the values that its field has. Throws a FilterError at `where` unless the operator suits the field,
 * or at the value that does not.
 */
function checked(comparison: Comparison, where: Span): Comparison {
  const { field, operator, values } = comparison;
  const operators = fieldOperators(field);
  if (!operators.includes(operator))
    throw new FilterError(`${field} is compared by ${operators.join(" ")} only`, where.from, where.to);
  if (isChoiceField(field)) return { ...comparison, values: values.map((value) => toChoice(field, value)) };
  for (const value of values) {
    const { text, from, to } = value;
    if (field === "created_at" && parseTime(text) === null) throw new FilterError(`"${text}" is not a time`, from, to);
    if ((field === "annotations_count" || field === "score") && !isNumber(value))
      throw new FilterError(`"${text}" is not a number`, from, to);
  }
  return comparison;
}
