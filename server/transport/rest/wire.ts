import { z } from "zod";
import { ServiceError, type FieldErrors } from "@/server/platform/errors";

/**
 * Where casing changes and where validation issues become the bodies the API promises. Input schemas are camelCase; on
 * the wire their top-level names are snake_case. Names inside nested values are never touched: user JSON keeps its
 * keys.
 */
export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const toCamel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

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
export function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  name: (field: string) => string = toSnake,
): FieldErrors {
  const fields: FieldErrors = {};
  const add = (path: readonly PropertyKey[], message: string) => {
    const [top, ...deeper] = path;
    const field = top === undefined ? "non_field_errors" : name(String(top));
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

/** Snake-case names to camelCase, one level. What is not a wire name (`deviceId`) is unknown and left out. */
function camelKeys(
  raw: Readonly<Record<string, unknown>>,
  renames: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(raw)) {
    const wire = renames[key] ?? key;
    const camel = toCamel(wire);
    if (toSnake(camel) !== wire || (wire !== key && wire in raw)) continue;
    result[camel] = raw[key];
  }
  return result;
}

export type WireResult = { ok: true; value: unknown } | { ok: false; fields: FieldErrors };

/** Parses wire input (a body or a query) by a camelCase schema; failures are keyed by wire names. */
export function parseWire(schema: z.ZodType, raw: unknown, renames: Readonly<Record<string, string>> = {}): WireResult {
  const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  if (!isObject && schema instanceof z.ZodObject) {
    return {
      ok: false,
      fields: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(raw)}.`] },
    };
  }
  const input = isObject ? camelKeys(raw as Record<string, unknown>, renames) : raw;
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

/** The JSON Schema of a camelCase input schema as it is on the wire: top-level names in snake_case. */
export function wireJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const json = jsonSchema(schema, "input");
  if (json.properties) {
    json.properties = Object.fromEntries(
      Object.entries(json.properties as Record<string, unknown>).map(([key, value]) => [toSnake(key), value]),
    );
  }
  if (Array.isArray(json.required)) json.required = json.required.map((key: string) => toSnake(key));
  return json;
}

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
