/** A syntax error in a filter, from the character `from` up to but not including `to`, both counted from 0. */
export class FilterError extends Error {
  constructor(
    readonly reason: string,
    readonly from: number,
    readonly to: number,
  ) {
    super(`${reason} (at position ${from + 1})`);
    this.name = "FilterError";
  }
}

export interface Token {
  kind: "word" | "quoted" | "operator" | "(" | ")" | ",";
  /** What a quoted text means, without quotes and escapes. */
  text: string;
  from: number;
  to: number;
}

const pattern =
  /(?:(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<operator>!=|>=|<=|=|>|<|~)|(?<mark>[(),])|(?<word>[^\s()=!<>~,"']+))/suy;
const blanks = /\s*/uy;

/** The tokens up to the first character that belongs to none, which is `error`. */
export function scanFilter(source: string): { tokens: Token[]; error: FilterError | null } {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    blanks.lastIndex = at;
    const from = at + (blanks.exec(source)?.[0].length ?? 0);
    if (from >= source.length) return { tokens, error: null };
    pattern.lastIndex = from;
    const match = pattern.exec(source);
    if (!match) {
      const error = /["']/.test(source.charAt(from))
        ? new FilterError("This quotation mark is never closed", from, source.length)
        : new FilterError(`Unexpected "${source.charAt(from)}"`, from, from + 1);
      return { tokens, error };
    }
    const { quoted, operator, mark, word } = match.groups ?? {};
    at = from + match[0].length;
    const range = { from, to: at };
    if (quoted !== undefined)
      tokens.push({ kind: "quoted", text: quoted.slice(1, -1).replace(/\\(.)/gsu, "$1"), ...range });
    else if (operator !== undefined) tokens.push({ kind: "operator", text: operator, ...range });
    else if (mark !== undefined) tokens.push({ kind: mark as "(" | ")" | ",", text: mark, ...range });
    else tokens.push({ kind: "word", text: word ?? "", ...range });
  }
}

/** Whether a token is this keyword, in any case. */
export const isKeyword = (token: Token | undefined, word: "AND" | "OR" | "NOT" | "IN"): boolean =>
  token?.kind === "word" && token.text.toUpperCase() === word;

/** A value as a filter holds it: quoted where it would otherwise be read as something else. */
export const filterValue = (text: string, quote = false): string =>
  !quote && /^[^\s()=!<>~,"'\\]+$/u.test(text) && !/^(and|or|not|in)$/iu.test(text)
    ? text
    : `"${text.replace(/["\\]/g, "\\$&")}"`;
