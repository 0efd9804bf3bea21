import { z } from "zod";
import { issueMessage, typeName } from "@/domain/field-messages";
import { toIssues, type Issue } from "@/domain/issues";
import { describeMembers } from "@/server/transport/rest/annotations";

/** Renames aliases to the names of their fields; drops the alias when both are sent. */
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

export type WireResult = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

/** Parses a body or a query after renaming aliases. */
export function parseWire(schema: z.ZodType, raw: unknown, renames: Readonly<Record<string, string>> = {}): WireResult {
  const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  if (!isObject && schema instanceof z.ZodObject) {
    const message = `Invalid data. Expected a dictionary, but got ${typeName(raw)}.`;
    return { ok: false, issues: [{ path: [], message }] };
  }
  const input = isObject ? withoutAliases(raw as Record<string, unknown>, renames) : raw;
  const parsed = schema.safeParse(input, { error: issueMessage });
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: toIssues(parsed.error.issues) };
}

/** The JSON Schema of a schema's input or output. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" }) as Record<
    string,
    unknown
  >;
  delete json.$schema;
  describeMembers(json);
  return json;
}

/** A response does not match its published schema: a bug, not a fault of the caller. */
export class ResponseMismatch extends Error {
  constructor(id: string, detail: string) {
    super(`The response of ${id} does not match its published schema: ${detail}`);
    this.name = "ResponseMismatch";
  }
}
