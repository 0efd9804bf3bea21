import type { LabelAttribute } from "@/domain/projects/label-schema";

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

const toText = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined;

/** Several options are a list, and in a text between commas. */
function toOptions(value: unknown, options: readonly string[]): string[] | undefined {
  const parts: unknown[] = Array.isArray(value) ? value : (toText(value)?.split(",") ?? []);
  const chosen = parts.flatMap((part) => toText(part)?.trim() ?? []);
  return chosen.length === parts.length && chosen.every((part) => options.includes(part)) ? chosen : undefined;
}

/**
 * The value of an attribute in a file as one that a label's attribute can have: files of other programs say numbers, options
 * and whether something is so as text. Undefined for one that it cannot have.
 */
export function fitAttributeValue(
  value: unknown,
  { kind, options }: Pick<LabelAttribute, "kind" | "options">,
): string | number | boolean | string[] | undefined {
  const text = toText(value)?.trim();
  switch (kind) {
    case "select":
      return text !== undefined && options.includes(text) ? text : undefined;
    case "multi":
      return toOptions(value, options);
    case "boolean":
      return text === undefined ? undefined : truths.get(text.toLowerCase());
    case "number":
      return text === undefined || text === "" || !Number.isFinite(Number(text)) ? undefined : Number(text);
    case "text":
      return toText(value);
  }
}
