/**
 * The `metadata_filter` of the API is JSON that an event's metadata has to contain. Here it is built of lines:
 * `value.max is 80` means `{"value": {"max": 80}}`, `codes has 7` for `{"codes": [7]}`.
 */
export interface FilterLine {
  id: number;
  /** Keys from outside in, joined by dots. */
  key: string;
  /** `is`: this value. `has`: a list with this value in it. */
  operator: "is" | "has";
  /** Read as JSON where it is that (`80`, `true`, `"80"`), else as text. */
  value: string;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A value as a line shows it: text that would parse as another type is quoted. */
const formatValue = (value: unknown): string =>
  typeof value === "string" && parseValue(value) === value ? value : JSON.stringify(value);

/** The lines combined into one filter; null when there are none. */
export function toFilter(lines: readonly FilterLine[]): string | null {
  const filter: Json = {};
  for (const { key, operator, value } of lines) {
    const path = key
      .split(".")
      .map((part) => part.trim())
      .filter(Boolean);
    const last = path.pop();
    if (last === undefined || value.trim() === "") continue;
    let at = filter;
    for (const part of path) {
      const inner = Object.hasOwn(at, part) ? at[part] : undefined;
      at = isObject(inner) ? inner : ((at[part] = {}) as Json);
    }
    const read = parseValue(value.trim());
    const before = Object.hasOwn(at, last) ? at[last] : undefined;
    at[last] = operator === "is" ? read : [...(Array.isArray(before) ? (before as unknown[]) : []), read];
  }
  return Object.keys(filter).length > 0 ? JSON.stringify(filter) : null;
}

/** The inverse of `toFilter`; null when the filter is no object or cannot be written as lines. */
export function parseLines(filter: string): Omit<FilterLine, "id">[] | null {
  const read = parseValue(filter);
  if (!isObject(read)) return null;
  const lines: Omit<FilterLine, "id">[] = [];
  const visit = (value: Json, path: string[]): boolean =>
    Object.entries(value).every(([key, each]) => {
      if (key === "" || key.includes(".")) return false;
      const here = [...path, key];
      if (isObject(each) && Object.keys(each).length > 0) return visit(each, here);
      const values: unknown[] = Array.isArray(each) ? each : [each];
      if (values.some((one) => typeof one === "object" && one !== null)) return false;
      for (const one of values)
        lines.push({ key: here.join("."), operator: Array.isArray(each) ? "has" : "is", value: formatValue(one) });
      return values.length > 0;
    });
  return visit(read, []) ? lines : null;
}

/** What is wrong with a filter written by hand; null when it can be used. */
export function filterProblem(text: string): string | null {
  try {
    return isObject(JSON.parse(text)) ? null : 'Enter a JSON object: {"key": value}.';
  } catch {
    return "Enter valid JSON: keys and text in double quotes.";
  }
}
