/** The parts of our OpenAPI document that the reference page shows. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  schema: JsonSchema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
}

export interface OpenApiDocument {
  info: { title: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** One operation with where it is found. */
export interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** Operations by area, in the document's order of paths; within a path reading comes before writing. */
export function byArea(document: OpenApiDocument): [string, Entry[]][] {
  const order = ["get", "post", "put", "patch", "delete"];
  const areas = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of order.filter((candidate) => candidate in methods)) {
      const operation = methods[method] as Operation;
      const area = operation.tags[0] ?? "other";
      areas.set(area, [...(areas.get(area) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return [...areas];
}

/** A schema's type in a few words: `string`, `array of integer`, `"online" | "offline"`. */
export function describeType(schema: JsonSchema | undefined): string {
  if (!schema) return "any";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return [...new Set(branches.map(describeType))].join(" | ");
  if (schema.type === "array") return `array of ${describeType(schema.items)}`;
  if (schema.format) return `${String(schema.type)} (${schema.format})`;
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

/** Limits of a schema as text; empty without any. */
export function describeBounds(schema: JsonSchema): string {
  const parts = [];
  if (schema.minLength !== undefined && schema.maxLength !== undefined)
    parts.push(`${schema.minLength}–${schema.maxLength} characters`);
  else if (schema.maxLength !== undefined) parts.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) parts.push(`at most ${schema.maxItems}`);
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(schema.minimum)) parts.push(`from ${schema.minimum}`);
  if (isBound(schema.maximum)) parts.push(`to ${schema.maximum}`);
  return parts.join(", ");
}

/** An example request of an operation for a terminal. */
export function formatCurl({ method, path, operation }: Entry, server: string): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${server}${path.replaceAll(/\{(\w+)\}/g, "<$1>")}"`];
  if (operation.security.length > 0) lines.push(`  -H "X-Service-Api-Key: $KEY"`);
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) {
    lines.push(`  -H "Content-Type: application/json"`);
    const example = Object.fromEntries(
      (body.required ?? []).map((name) => [name, buildExample(body.properties?.[name])]),
    );
    lines.push(`  -d '${JSON.stringify(example)}'`);
  }
  return lines.join(" \\\n");
}

function buildExample(schema: JsonSchema | undefined): unknown {
  if (!schema) return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return buildExample(branches[0]);
  if (schema.format === "date-time") return "2026-01-31T12:00:00Z";
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return "…";
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 0;
    case "boolean":
      return true;
    case "array":
      return [buildExample(schema.items)];
    default:
      return Object.fromEntries((schema.required ?? []).map((name) => [name, buildExample(schema.properties?.[name])]));
  }
}
