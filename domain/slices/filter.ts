import { itemStatuses } from "@/domain/datasets/schema";
import { dateFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";

/**
 * The filter language of slices and exports: `status = completed AND (metadata.width >= 1280 OR key ~ front) AND NOT
 * label IN (car, "traffic light")`. Keywords are case-insensitive; `*` in a text matches anything; `~` is a
 * case-insensitive contains.
 */
export type Filter =
  | { type: "and" | "or"; parts: Filter[] }
  | { type: "not"; part: Filter }
  | { type: "is"; field: FilterField; operator: Operator; values: Value[] };

type FilterField = "status" | "key" | "created_at" | "annotations_count" | "label" | "project" | `metadata.${string}`;
export type Operator = "=" | "!=" | ">" | ">=" | "<" | "<=" | "~" | "IN";
export interface Value {
  text: string;
  /** A quoted value is always a text. */
  quoted: boolean;
  at: number;
}

/** A syntax error in a filter; `position` counts characters from 1. */
export class FilterError extends Error {
  constructor(
    readonly reason: string,
    readonly position: number,
  ) {
    super(`${reason} (at position ${position})`);
    this.name = "FilterError";
  }
}

export const maxFilterLength = 4_096;
const maxDepth = 32;

interface Token {
  kind: "word" | "quoted" | "operator" | "(" | ")" | ",";
  text: string;
  at: number;
}

const pattern =
  /\s*(?:(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<operator>!=|>=|<=|=|>|<|~)|(?<mark>[(),])|(?<word>[^\s()=!<>~,"']+))/gsuy;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < source.trimEnd().length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(source);
    const at = from + (/^\s*/.exec(source.slice(from))?.[0].length ?? 0) + 1;
    if (!match) {
      const unclosed = /^["']/.test(source.slice(at - 1));
      throw new FilterError(
        unclosed ? "This quotation mark is never closed" : `Unexpected "${source[at - 1] ?? ""}"`,
        at,
      );
    }
    const { quoted, operator, mark, word } = match.groups ?? {};
    if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted.slice(1, -1).replace(/\\(.)/gsu, "$1"), at });
    else if (operator !== undefined) tokens.push({ kind: "operator", text: operator, at });
    else if (mark !== undefined) tokens.push({ kind: mark as "(" | ")" | ",", text: mark, at });
    else tokens.push({ kind: "word", text: word ?? "", at });
  }
  return tokens;
}

/** Parses a filter; null for an empty one, which matches everything. Throws a FilterError. */
export function parseFilter(source: string): Filter | null {
  if (source.trim() === "") return null;
  return new Parser(tokenize(source), source.length).parse();
}

const fixedFields = ["status", "key", "created_at", "annotations_count", "label", "project"] as const;
const isKeyword = (token: Token | undefined, word: string): boolean =>
  token?.kind === "word" && token.text.toUpperCase() === word;

class Parser {
  private next = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly length: number,
  ) {}

  parse(): Filter {
    const filter = this.parseOr(0);
    const rest = this.peek();
    if (rest) throw new FilterError(`Expected AND, OR or the end, not "${rest.text}"`, rest.at);
    return filter;
  }

  private peek(): Token | undefined {
    return this.tokens[this.next];
  }

  private take(what: string): Token {
    const token = this.tokens[this.next++];
    if (!token) throw new FilterError(`Expected ${what}`, this.length + 1);
    return token;
  }

  private parseOr(depth: number): Filter {
    const parts = [this.parseAnd(depth)];
    while (isKeyword(this.peek(), "OR")) {
      this.next++;
      parts.push(this.parseAnd(depth));
    }
    return parts.length === 1 && parts[0] ? parts[0] : { type: "or", parts };
  }

  private parseAnd(depth: number): Filter {
    const parts = [this.parseTerm(depth)];
    while (isKeyword(this.peek(), "AND")) {
      this.next++;
      parts.push(this.parseTerm(depth));
    }
    return parts.length === 1 && parts[0] ? parts[0] : { type: "and", parts };
  }

  private parseTerm(depth: number): Filter {
    const token = this.take("a field, NOT or (");
    if (depth >= maxDepth) throw new FilterError(`At most ${maxDepth} levels of NOT and parentheses`, token.at);
    if (isKeyword(token, "NOT")) return { type: "not", part: this.parseTerm(depth + 1) };
    if (token.kind === "(") {
      const filter = this.parseOr(depth + 1);
      const close = this.take("a closing parenthesis");
      if (close.kind !== ")") throw new FilterError(`Expected AND, OR or ), not "${close.text}"`, close.at);
      return filter;
    }
    return this.parseComparison(token);
  }

  private parseComparison(token: Token): Filter {
    const field = parseField(token);
    const operator = this.take("an operator");
    if (isKeyword(operator, "NOT") && isKeyword(this.peek(), "IN")) {
      this.next++;
      return { type: "not", part: checked({ type: "is", field, operator: "IN", values: this.parseList() }, token.at) };
    }
    if (isKeyword(operator, "IN"))
      return checked({ type: "is", field, operator: "IN", values: this.parseList() }, token.at);
    if (operator.kind !== "operator")
      throw new FilterError(`Expected = != > >= < <= ~ or IN, not "${operator.text}"`, operator.at);
    return checked(
      { type: "is", field, operator: operator.text as Operator, values: [this.parseValue()] },
      operator.at,
    );
  }

  private parseList(): Value[] {
    const open = this.take("an opening parenthesis");
    if (open.kind !== "(") throw new FilterError(`Expected ( after IN, not "${open.text}"`, open.at);
    const values = [this.parseValue()];
    for (;;) {
      const token = this.take("a comma or )");
      if (token.kind === ")") return values;
      if (token.kind !== ",") throw new FilterError(`Expected a comma or ), not "${token.text}"`, token.at);
      values.push(this.parseValue());
    }
  }

  private parseValue(): Value {
    const token = this.take("a value");
    if (token.kind !== "word" && token.kind !== "quoted")
      throw new FilterError(`Expected a value, not "${token.text}"`, token.at);
    return { text: token.text, quoted: token.kind === "quoted", at: token.at };
  }
}

function parseField(token: Token): FilterField {
  const { text } = token;
  const fixed = fixedFields.find((name) => name === text);
  if (token.kind === "word" && fixed) return fixed;
  if (token.kind === "word" && /^metadata(\.[\p{L}\p{N}_-]{1,100}){1,8}$/u.test(text)) return text as FilterField;
  throw new FilterError(`Unknown field "${text}". Fields: ${fixedFields.join(", ")}, metadata.<path>`, token.at);
}

type Comparison = Extract<Filter, { type: "is" }>;

const allowed: Record<string, readonly Operator[]> = {
  status: ["=", "!=", "IN"],
  key: ["=", "!=", "~", "IN", ">", ">=", "<", "<="],
  created_at: ["=", "!=", ">", ">=", "<", "<="],
  annotations_count: ["=", "!=", ">", ">=", "<", "<=", "IN"],
  label: ["=", "!=", "~", "IN"],
  project: ["=", "!=", "~", "IN"],
};

export const isNumber = ({ text, quoted }: Value): boolean => !quoted && /^-?\d{1,15}(\.\d{1,15})?$/.test(text);

/** A time of a filter, or a date, which means its midnight UTC. Null for anything else. */
export const parseTime = (text: string): Date | null => {
  const ns = parseDateTimeNs(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  return ns === null ? null : dateFromNs(ns);
};

/** Throws a FilterError unless the operator and the values suit the field. */
function checked(comparison: Comparison, at: number): Comparison {
  const { field, operator, values } = comparison;
  const operators = allowed[field];
  if (operators && !operators.includes(operator))
    throw new FilterError(`${field} is compared by ${operators.join(" ")} only`, at);
  for (const value of values) {
    if (field === "status" && !value.text.includes("*") && !itemStatuses.some((status) => status === value.text)) {
      throw new FilterError(`"${value.text}" is not a status`, value.at);
    }
    if (field === "created_at" && parseTime(value.text) === null)
      throw new FilterError(`"${value.text}" is not a time`, value.at);
    if (field === "annotations_count" && !isNumber(value))
      throw new FilterError(`"${value.text}" is not a number`, value.at);
  }
  return comparison;
}
