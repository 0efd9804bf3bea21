/**
 * The API's `metadata` parameter is a JSON object; people write `site=berlin`. A value that reads as JSON is taken as
 * such (`slots=4`, `armed=true`), anything else as text; quotes make text of it (`serial="42"`).
 */
const separator = ",";

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function formatValue(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `site=berlin,slots=4` → `{"site":"berlin","slots":4}`; null when no part of it is a pair. */
export function metadataParameter(text: string | null): string | null {
  const pairs: string[] = [];
  for (const part of (text ?? "").split(separator)) {
    // A comma inside a value: a part without `=` belongs to the pair before it.
    if (!part.includes("=") && pairs.length > 0) pairs[pairs.length - 1] += separator + part;
    else if (part.includes("=")) pairs.push(part);
  }
  const entries = pairs.flatMap((pair) => {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at).trim();
    return key === "" ? [] : [[key, parseValue(pair.slice(at + 1).trim())] as const];
  });
  return entries.length > 0 ? JSON.stringify(Object.fromEntries(entries)) : null;
}

/** The inverse, for the chips; anything but a JSON object is shown unchanged, so that it can be removed. */
export function metadataText(parameter: string | null): string | null {
  if (parameter === null) return null;
  const value = parseValue(parameter);
  if (!isObject(value)) return parameter;
  return (
    Object.entries(value)
      .map(([key, each]) => `${key}=${formatValue(each)}`)
      .join(separator) || null
  );
}
