import { isField, type FilterField } from "@/domain/items/filter";
import { isKeyword, scanFilter, type Token } from "@/domain/items/filter-tokens";

/** What a filter can go on with: a term is a field, NOT or a parenthesis; a joiner is AND, OR or a closing one. */
type Expected = "term" | "operator" | "not in" | "list" | "value" | "list value" | "comma" | "joiner";

/** What may stand at a position of a filter, and what stands there already. */
export interface Completion {
  expected: Expected;
  /** The field of the comparison at hand; null between comparisons. */
  field: FilterField | null;
  /** What is typed of it so far, without quotes; it stands from `from` up to but not including `to`. */
  text: string;
  from: number;
  to: number;
  /** The number of parentheses that are open. */
  depth: number;
}

interface State {
  expected: Expected;
  field: FilterField | null;
  depth: number;
}

function next(state: State, token: Token): State | null {
  const { field, depth } = state;
  const isText = token.kind === "word" || token.kind === "quoted";
  switch (state.expected) {
    case "term":
      if (isKeyword(token, "NOT")) return state;
      if (token.kind === "(") return { ...state, depth: depth + 1 };
      return token.kind === "word" && isField(token.text) ? { expected: "operator", field: token.text, depth } : null;
    case "operator":
      if (isKeyword(token, "NOT")) return { expected: "not in", field, depth };
      if (isKeyword(token, "IN")) return { expected: "list", field, depth };
      return token.kind === "operator" ? { expected: "value", field, depth } : null;
    case "not in":
      return isKeyword(token, "IN") ? { expected: "list", field, depth } : null;
    case "list":
      return token.kind === "(" ? { expected: "list value", field, depth } : null;
    case "list value":
      return isText ? { expected: "comma", field, depth } : null;
    case "comma":
      if (token.kind === ",") return { expected: "list value", field, depth };
      return token.kind === ")" ? { expected: "joiner", field: null, depth } : null;
    case "value":
      return isText ? { expected: "joiner", field: null, depth } : null;
    case "joiner":
      if (isKeyword(token, "AND") || isKeyword(token, "OR")) return { expected: "term", field: null, depth };
      return token.kind === ")" && depth > 0 ? { expected: "joiner", field: null, depth: depth - 1 } : null;
  }
}

/** What may stand at the position `caret`; null where what precedes it is not the beginning of a filter. */
export function completeFilter(source: string, caret: number): Completion | null {
  const { tokens, error } = scanFilter(source.slice(0, caret));
  const last = tokens.at(-1);
  // A text that ends at the caret is still being typed, and so is one whose quotation mark is open.
  const isTyped = last?.to === caret && (last.kind === "word" || last.kind === "quoted");
  let state: State | null = { expected: "term", field: null, depth: 0 };
  for (const token of isTyped && !error ? tokens.slice(0, -1) : tokens) {
    state = next(state, token);
    if (!state) return null;
  }
  const from = error?.from ?? (isTyped ? last.from : caret);
  if (error && !/["']/.test(source.charAt(from))) return null;
  // What follows the caret in the same word or quotation is replaced with it.
  const whole = from < caret ? scanFilter(source).tokens.find((token) => token.from === from) : undefined;
  const text = error ? source.slice(from + 1, caret) : isTyped ? last.text : "";
  return { ...state, text, from, to: Math.max(caret, whole?.to ?? caret) };
}
