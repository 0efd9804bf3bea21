/** The parts of our OpenAPI document that the reference shows. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: "path" | "query";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}

interface Content {
  schema: JsonSchema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  /** Absent where an API key is needed, empty where nothing is. */
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, Content> }>;
}

export interface OpenApiDocument {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, JsonSchema>; parameters: Record<string, Parameter> };
}

/** One operation with where it is found; a request that Muster sends has no path. */
export interface Entry {
  method: string;
  path: string | null;
  operation: Operation;
}

export interface Area {
  name: string;
  title: string;
  description: string;
  entries: Entry[];
}

const order = ["get", "post", "put", "patch", "delete"];

/** The areas with their operations, in the document's order of paths; within a path reading comes before writing. */
export function listAreas({ tags, paths, webhooks }: OpenApiDocument): Area[] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    order.flatMap((method): Entry[] => {
      const operation = methods[method];
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );
  const sent = Object.values(webhooks).map(({ post }): Entry => ({ method: "POST", path: null, operation: post }));
  return tags.map(({ name, description }) => ({
    name,
    title: (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("-", " "),
    description,
    entries: [...entries, ...sent].filter(({ operation }) => operation.tags[0] === name),
  }));
}

export const getReferenceName = (reference: string): string => reference.split("/").at(-1) ?? "";

/** The schema that a reference names, or the schema itself. */
export const resolveSchema = (schema: JsonSchema, { components }: OpenApiDocument): JsonSchema =>
  schema.$ref === undefined ? schema : (components.schemas[getReferenceName(schema.$ref)] ?? {});

export const listParameters = ({ parameters = [] }: Operation, { components }: OpenApiDocument): Parameter[] =>
  parameters.flatMap((parameter) =>
    parameter.$ref === undefined ? parameter : (components.parameters[getReferenceName(parameter.$ref)] ?? []),
  );

/** The names of the schemas that the operations of an area use, and that those use, in alphabetical order. */
export function listSchemaNames({ entries }: Area, document: OpenApiDocument): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith("#/components/schemas/")) {
      const name = getReferenceName($ref);
      if (!found.has(name)) {
        found.add(name);
        collect(document.components.schemas[name]);
      }
    }
    for (const part of Object.values(value)) collect(part);
  };
  for (const { operation } of entries) {
    collect(listParameters(operation, document).map(({ schema }) => schema));
    for (const { content } of [operation.requestBody, ...Object.values(operation.responses)].flatMap(
      (each) => each ?? [],
    ))
      for (const { schema } of Object.values(content ?? {})) collect(schema);
  }
  return [...found].sort();
}

/** Limits of a schema as text; empty without any. */
export function describeBounds(schema: JsonSchema): string {
  const parts = [];
  if (schema.minLength !== undefined && schema.maxLength !== undefined)
    parts.push(`${schema.minLength}–${schema.maxLength} characters`);
  else if (schema.maxLength !== undefined) parts.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) parts.push(`at most ${schema.maxItems}`);
  if (schema.minimum !== undefined) parts.push(`from ${schema.minimum}`);
  if (schema.maximum !== undefined) parts.push(`to ${schema.maximum}`);
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.join(", ");
}

/** An example request of an operation for a terminal; null for a request that Muster sends. */
export function formatCurl({ method, path, operation }: Entry, server: string): string | null {
  if (path === null) return null;
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${server}${path.replaceAll(/\{(\w+)\}/g, "<$1>")}"`];
  if (operation.security?.length !== 0) lines.push(`  -H "X-Service-Api-Key: $KEY"`);
  const body = operation.requestBody?.content["application/json"];
  if (body) {
    lines.push(`  -H "Content-Type: application/json"`);
    lines.push(`  -d '${JSON.stringify(body.example).replaceAll("'", String.raw`'\''`)}'`);
  }
  return lines.join(" \\\n");
}
