/** One token of JSON with the white space before it. Texts are matched without going back, however long they are. */
const token =
  /[\t\n\r ]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** What may follow where a value has ended. */
const afterValue = (open: readonly string[]): Expected => (open.length > 0 ? "comma or end" : "nothing");

/** Where a text stops being JSON, which browsers say each in their own way: the first character that cannot be there. */
export function findJsonError(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const start = skipSpace(text, at);
    if (match === null) return start;
    const next = advance(expected, match[1] ?? (match[2] === undefined ? "word" : "text"), open);
    if (next === null) return start;
    expected = next;
    at = token.lastIndex;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && "\t\n\r ".includes(text[at]!)) at++;
  return at;
}

/** What is expected after a token; null where it may not be. `open`: the brackets that are not closed. */
function advance(expected: Expected, kind: string, open: string[]): Expected | null {
  const takesValue = expected === "value" || expected === "value or end";
  switch (kind) {
    case "{":
    case "[":
      if (!takesValue) return null;
      open.push(kind);
      return kind === "{" ? "key or end" : "value or end";
    case "}":
    case "]": {
      const mayEnd = expected === "comma or end" || expected === (kind === "}" ? "key or end" : "value or end");
      if (!mayEnd || open.pop() !== (kind === "}" ? "{" : "[")) return null;
      return afterValue(open);
    }
    case ",":
      if (expected !== "comma or end") return null;
      return open.at(-1) === "{" ? "key" : "value";
    case ":":
      return expected === "colon" ? "value" : null;
    case "text":
      if (expected === "key" || expected === "key or end") return "colon";
      return takesValue ? afterValue(open) : null;
    default:
      return takesValue ? afterValue(open) : null;
  }
}
