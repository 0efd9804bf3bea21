import { beforeAll, expect, test } from "vitest";
import { describeApi } from "@/server/composition/openapi";
import { buildPath, makeFixture, operations, type Fixture } from "@/server/testing/bad-input/fixture";
import { buildMinimal, listFields } from "@/server/testing/bad-input/samples";
import { request } from "@/server/testing/requests";

/** Every reading operation, called on the fixture's objects: what it returns has the published types and formats. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema;
}
interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const document = describeApi("http://127.0.0.1:3000") as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const published = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, responses }) => [operationId, responses["200"]?.content?.["application/json"]?.schema]),
);

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  uri: (text) => URL.canParse(text),
  email: (text) => text.includes("@"),
};

function getType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Where a value differs from its schema, as paths with reasons. */
function listMismatches(value: unknown, schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined)
    return listMismatches(value, document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, path);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches && !schema.properties) {
    const results = branches.map((branch) => listMismatches(value, branch, path));
    return results.some((found) => found.length === 0) ? [] : (results[0] ?? []);
  }
  const types = schema.type === undefined ? null : [schema.type].flat();
  const type = getType(value);
  if (types && !types.includes(type) && !(type === "integer" && types.includes("number")))
    return [`${path}: ${type} instead of ${types.join(" or ")}`];
  if (schema.enum && value !== null && !schema.enum.includes(value)) return [`${path}: ${String(value)} is no choice`];
  if (typeof value === "string" && schema.format !== undefined && formats[schema.format]?.(value) === false)
    return [`${path}: ${value} is no ${schema.format}`];
  if (typeof value === "string" && schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    return [`${path}: ${value} does not match ${schema.pattern}`];
  if (Array.isArray(value))
    return value.flatMap((entry: unknown, index) => listMismatches(entry, schema.items ?? {}, `${path}.${index}`));
  if (typeof value !== "object" || value === null) return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${path}.${name}: missing`);
  const members = Object.entries(value).flatMap(([name, member]) =>
    listMismatches(member, schema.properties?.[name] ?? schema.additionalProperties ?? {}, `${path}.${name}`),
  );
  return [...missing, ...members];
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

/** They need a file that was read, or a version that exists. */
const unanswered = new Set(["recordings.series", "recordings.messages", "recordings.cut", "rules.get-run"]);
const reads = operations.filter(([, { method, id }]) => method === "GET" && !unanswered.has(id));

test.each(reads)("%s responds as published", async (_, endpoint) => {
  const query = listFields(endpoint.query).flatMap(({ name, schema, required }): [string, string][] => {
    if (name === "organization") return [[name, fixture.org.slug]];
    return required ? [[name, String(buildMinimal(schema, name, fixture))]] : [];
  });
  const path = `${buildPath(endpoint, fixture.ids)}?${new URLSearchParams(query)}`;
  const { status, body } = await request<unknown>("GET", path, { key: fixture.key });
  expect(status, JSON.stringify(body)).toBe(200);
  const schema = published.get(endpoint.id);
  expect(schema).toBeDefined();
  expect(listMismatches(body, schema ?? {}, endpoint.id)).toEqual([]);
});
