import { z } from "zod";
import { ServiceError, type FieldErrors } from "@/server/platform/errors";

const typeNames: Record<string, string> = {
  string: "Not a valid string.",
  number: "A valid number is required.",
  int: "A valid integer is required.",
  boolean: "Must be a valid boolean.",
  date: "Not a valid string.",
};

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (value === null) return "null";
  return typeof value === "object" ? "object" : typeof value;
}

/**
 * The text of an issue, in the wording of Django REST Framework; a schema's own text (custom, `error:`) goes before it.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (input === undefined) return "This field is required.";
  if (input === null && issue.code !== "custom") return "This field may not be null.";
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "array") return `Expected a list of items but got type "${typeName(input)}".`;
      if (issue.expected === "object" || issue.expected === "record") {
        return `Expected a dictionary of items but got type "${typeName(input)}".`;
      }
      return typeNames[issue.expected] ?? "Not a valid value.";
    case "invalid_value":
      return typeof input === "string" || typeof input === "number" || typeof input === "boolean"
        ? `"${String(input).slice(0, 200)}" is not a valid choice.`
        : `"${typeName(input)}" is not a valid choice.`;
    case "too_small":
      if (issue.origin === "string") return "This field may not be blank.";
      if (issue.origin === "array") {
        return issue.minimum === 1
          ? "This list may not be empty."
          : `Ensure this field has at least ${issue.minimum} elements.`;
      }
      return issue.inclusive
        ? `Ensure this value is greater than or equal to ${issue.minimum}.`
        : `Ensure this value is greater than ${issue.minimum}.`;
    case "too_big":
      if (issue.origin === "string") return `Ensure this field has no more than ${issue.maximum} characters.`;
      if (issue.origin === "array") return `Ensure this field has no more than ${issue.maximum} elements.`;
      return `Ensure this value is less than or equal to ${issue.maximum}.`;
    case "invalid_format":
      return issue.format === "email" ? "Enter a valid email address." : "Not a valid value.";
    default:
      return undefined;
  }
}

/**
 * Issues as field-keyed messages: the key is the top-level field, deeper positions open the message (`3.label: …`).
 * Issues of no field come under `non_field_errors`. At most 20 messages a field.
 */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldErrors {
  const fields: FieldErrors = {};
  const add = (path: readonly PropertyKey[], message: string) => {
    const [top, ...deeper] = path;
    const field = top === undefined ? "non_field_errors" : String(top);
    const messages = (fields[field] ??= []);
    const line = deeper.length > 0 ? `${deeper.map(String).join(".")}: ${message}` : message;
    if (messages.length < 20 && !messages.includes(line)) messages.push(line);
  };
  for (const issue of issues) {
    // A union whose members all failed: the member that came furthest says most.
    const branches = issue.code === "invalid_union" ? issue.errors : [];
    const best = [...branches].sort((a, b) => depth(b) - depth(a))[0];
    if (best && best.length > 0 && issue.message === "Invalid input") {
      for (const inner of best) add([...issue.path, ...inner.path], inner.message);
    } else add(issue.path, issue.message);
  }
  return fields;
}
const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length));

/** The same with its aliases under their own names; where both are sent, the alias is left out. */
function withoutAliases(
  raw: Readonly<Record<string, unknown>>,
  renames: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...raw };
  for (const [alias, name] of Object.entries(renames)) {
    if (!(alias in raw)) continue;
    if (!(name in raw)) result[name] = raw[alias];
    delete result[alias];
  }
  return result;
}

export type WireResult = { ok: true; value: unknown } | { ok: false; fields: FieldErrors };

/** Parses input (a body or a query); failures are keyed by field. */
export function parseWire(schema: z.ZodType, raw: unknown, renames: Readonly<Record<string, string>> = {}): WireResult {
  const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  if (!isObject && schema instanceof z.ZodObject) {
    return {
      ok: false,
      fields: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(raw)}.`] },
    };
  }
  const input = isObject ? withoutAliases(raw as Record<string, unknown>, renames) : raw;
  const parsed = schema.safeParse(input, { error: issueMessage });
  if (parsed.success) return { ok: true, value: parsed.data };
  const fields = fieldErrors(parsed.error.issues);
  // A list has no fields to blame; the position opens the message instead.
  if (!(schema instanceof z.ZodArray)) return { ok: false, fields };
  const messages = Object.entries(fields).flatMap(([at, lines]) =>
    /^\d+$/.test(at) ? lines.map((line) => `${at}.${line}`) : lines,
  );
  return { ok: false, fields: { non_field_errors: messages.slice(0, 20) } };
}

/** The JSON Schema of what a schema takes (`input`) or of what it makes of that (`output`). */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" }) as Record<
    string,
    unknown
  >;
  delete json.$schema;
  return json;
}

/** An answer that does not match its published schema is our fault, never the caller's. */
export class ResponseMismatch extends Error {
  constructor(id: string, detail: string) {
    super(`The answer of ${id} does not match its published schema: ${detail}`);
    this.name = "ResponseMismatch";
  }
}

export const invalidBody = (message: string) =>
  new ServiceError("invalid", { fields: { non_field_errors: [message] } });
