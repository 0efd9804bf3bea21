import fc from "fast-check";
import { listParameters, buildPath, findSubject, type Named, type Fixture } from "@/server/testing/bad-input/fixture";
import {
  listFields,
  isNullable,
  toJsonSchema,
  uidPrefix,
  validBody,
  listVariants,
  type Schema,
} from "@/server/testing/bad-input/samples";
import { operations } from "@/server/testing/operations";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/**
 * A request that fast-check generates from the published schemas: mostly valid values, mixed with invalid ones. Objects
 * are named by placeholders (`{{own device}}`), so that a seed generates the same requests in every run.
 */
export interface Plan {
  operation: number;
  caller: "owner" | "member" | "reader" | "device" | "anonymous" | "outsider";
  /** Path parameters that are not this organization's own objects. */
  params: Record<string, string>;
  query: [string, string][];
  /** Changes of a valid body, a raw text, or no body. */
  body: { over: Record<string, unknown>; without: string[] } | { raw: string } | null;
  contentType: string | null;
}

const holder = (whose: "own" | "foreign", name: Named) => `{{${whose} ${name}}}`;
const fill = (text: string, fixture: Fixture): string =>
  text.replaceAll(
    /\{\{(own|foreign) (\w+)\}\}/g,
    (_, whose: string, name: string) => (whose === "own" ? fixture.ids : fixture.foreign)[name as Named],
  );

const hostile = fc.constantFrom(
  ...[
    "",
    " ",
    "\t\n",
    "a\0b",
    "\ud800",
    "\u202e\u200b",
    "🤖".repeat(256),
    "x".repeat(5_000),
    "e" + "\u0301".repeat(1_000),
  ],
  ...[
    "'; DROP TABLE devices--",
    "%",
    "\\",
    "../../etc/passwd",
    "${7*7}{{7*7}}",
    "<script>",
    "__proto__",
    "constructor",
    "null",
    "NaN",
    "-0",
  ],
  ...[
    "1e400",
    "9".repeat(40),
    "0x1",
    "true",
    "https://169.254.169.254/",
    "javascript:alert(1)",
    "{",
    '{"$ne":1}',
    "a,,b",
    ",",
    "[]",
  ],
  ...[
    "2024-02-30T00:00:00Z",
    "2026-01-01T00:00:00.123456789+05:30",
    "infinity",
    "-000001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1970-01-01T00:00:00Z",
  ],
  ...["(a+)+$", "[", "(?=x)", "10s", "-5s", "1e9d", "Europe/Berlin", "Mars/Olympus", "#112233", "23:59"],
);
const extreme = fc.constantFrom<unknown>(
  ...[null, true, false, 0, -0, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 5e-324],
  ...[
    [],
    {},
    [[]],
    [null],
    { a: null },
    { "": "" },
    Array.from({ length: 1_001 }, (_, n) => `t${n}`),
    [{}, [], "x", 1],
  ],
);
const deep = fc
  .integer({ min: 1, max: 40 })
  .map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown);
const anything = fc.oneof(
  { arbitrary: hostile, weight: 4 },
  { arbitrary: extreme, weight: 4 },
  fc.jsonValue({ maxDepth: 3 }),
  deep,
);

/** What the identifiers of a field name, by the field's name. */
const naming: readonly [RegExp, Named][] = [
  [/^device_ids?$/, "device"],
  [/^recordings?(_id)?$/, "recording"],
  [/^rule_ids?$/, "rule"],
  [/^group_ids?$/, "group"],
  [/^channel_id$/, "channel"],
  [/^alert|^uids$/, "alert"],
  [/^datasets?(_uid)?$/, "dataset"],
  [/^dataset_item_uids?$/, "item"],
  [/^projects?$/, "project"],
  [/^slices?$/, "slice"],
  [/^execution$/, "execution"],
  [/^integration_uid$/, "integration"],
  [/^session_uid$/, "uploadSession"],
  [/^storage_config_uid$/, "storageConfig"],
  [/^assignee$/, "username"],
  [/^work_batch$/, "workBatch"],
  [/^sequence$/, "sequence"],
  [/^subscription$/, "webhook"],
  [/^organization$/, "orgSlug"],
];

const instant = fc
  .date({ min: new Date("1970-01-02T00:00:00Z"), max: new Date("9999-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Texts that a schema accepts. */
function generateText(schema: Schema, name: string): fc.Arbitrary<string> {
  const kind = naming.find(([pattern]) => pattern.test(name))?.[1];
  if (kind && (uidPrefix(schema) !== null || !schema.pattern)) {
    return fc.oneof(
      { arbitrary: fc.constant(holder("own", kind)), weight: 6 },
      { arbitrary: fc.constant(holder("foreign", kind)), weight: 1 },
      { arbitrary: hostile, weight: 1 },
    );
  }
  if (schema.format === "date-time") return instant;
  const max = Math.min(schema.maxLength ?? 300, 300);
  return fc.oneof(
    fc.string({ minLength: schema.minLength ?? 0, maxLength: max }),
    fc.string({ unit: "binary", maxLength: max }),
    hostile,
  );
}

/** Values that a schema accepts. */
function generateValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const variants = listVariants(schema);
  if (variants.length > 1) return fc.oneof(...variants.map((variant) => generateValue(variant, name)));
  const [only = {}] = variants;
  if (only.const !== undefined) return fc.constant(only.const);
  if (only.enum) return fc.constantFrom(...only.enum);
  switch ([only.type].flat()[0]) {
    case "string":
      return generateText(only, name);
    case "integer":
      return fc.integer({ min: Math.max(only.minimum ?? -1e9, -1e9), max: Math.min(only.maximum ?? 1e9, 1e9) });
    case "number":
      return fc.double({ min: only.minimum ?? -1e9, max: only.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return only.prefixItems
        ? fc.tuple(...only.prefixItems.map((item) => generateValue(item, name)))
        : fc.array(generateValue(only.items ?? {}, name), {
            minLength: only.minItems ?? 0,
            maxLength: Math.max(only.minItems ?? 0, 4),
          });
    case "object":
      return only.properties
        ? fc.record(
            Object.fromEntries(Object.entries(only.properties).map(([key, inner]) => [key, mixed(inner, key)])),
            {
              requiredKeys: only.required ?? [],
            },
          )
        : fc.dictionary(fc.oneof(fc.string(), hostile), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    default:
      return fc.jsonValue({ maxDepth: 4 });
  }
}

/** Mostly values that a schema accepts, sometimes any value. */
const mixed = (schema: Schema, name: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: generateValue(schema, name), weight: 9 },
    { arbitrary: anything, weight: 1 },
    ...(isNullable(schema) ? [fc.constant(null)] : []),
  );

/** Changes only some fields, so that most bodies stay acceptable. */
function generateBody(endpoint: Endpoint): fc.Arbitrary<Plan["body"]> {
  if (!endpoint.body) return fc.constant(null);
  const schema = toJsonSchema(endpoint.body);
  if (schema.type !== "object") {
    return fc.oneof(
      fc.constant<Plan["body"]>({ over: {}, without: [] }),
      mixed(schema, "").map((value) => ({ raw: JSON.stringify(value) ?? "" })),
    );
  }
  const fields = listFields(endpoint.body);
  const some = fc.subarray(fields, { maxLength: Math.min(fields.length, 3) });
  const over = some.chain((chosen) =>
    fc
      .tuple(...chosen.map(({ name, schema: inner }) => mixed(inner, name)))
      .map((values) => Object.fromEntries(chosen.map(({ name }, n) => [name, values[n]]))),
  );
  const names = fields.map(({ name }) => name);
  return fc.oneof(
    {
      arbitrary: fc.record({
        over,
        without: fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 9 }, fc.subarray(names, { maxLength: 1 })),
      }),
      weight: 18,
    },
    { arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => ({ raw: JSON.stringify(value) })), weight: 1 },
    { arbitrary: fc.oneof(hostile, fc.string()).map((raw) => ({ raw })), weight: 1 },
  );
}

function generateQuery(endpoint: Endpoint): fc.Arbitrary<[string, string][]> {
  const fields = listFields(endpoint.query);
  if (fields.length === 0) return fc.constant([]);
  const pair = fc
    .constantFrom(...fields)
    .chain(({ name, schema }) =>
      fc
        .oneof({ arbitrary: generateValue(schema, name), weight: 4 }, { arbitrary: hostile, weight: 1 })
        .map((value): [string, string] => [name, String(value)]),
    );
  return fc.array(pair, { maxLength: 3 });
}

function generateParams(endpoint: Endpoint): fc.Arbitrary<Record<string, string>> {
  const names = listParameters(endpoint);
  const other = fc.constantFrom(...names, "none").chain((name) => {
    const kind = findSubject(endpoint, name);
    const wrong = fc.oneof(hostile, fc.integer().map(String), ...(kind ? [fc.constant(holder("foreign", kind))] : []));
    return wrong.map((value): Record<string, string> => (names.includes(name) ? { [name]: value } : {}));
  });
  // A deleted object is missing in all later requests, so few deletions name an existing one.
  const [own, wrong] = endpoint.method === "DELETE" ? [1, 3] : [6, 1];
  return fc.oneof(
    { arbitrary: fc.constant<Record<string, string>>({}), weight: own },
    { arbitrary: other, weight: wrong },
  );
}

const generatePlan = (endpoint: Endpoint, operation: number): fc.Arbitrary<Plan> =>
  fc.record({
    operation: fc.constant(operation),
    caller: fc.oneof(
      { arbitrary: fc.constant<Plan["caller"]>("owner"), weight: 14 },
      fc.constantFrom<Plan["caller"]>("member", "reader", "device", "anonymous", "outsider"),
    ),
    params: generateParams(endpoint),
    query: generateQuery(endpoint),
    body: generateBody(endpoint),
    contentType: fc.oneof(
      { arbitrary: fc.constant<string | null>("application/json"), weight: 20 },
      fc.constantFrom(null, "text/plain", "application/json; charset=latin1"),
    ),
  });

/** Requests to all operations. */
export const plans: fc.Arbitrary<Plan> = fc.oneof(...operations.map(generatePlan));

export interface PlannedRequest {
  endpoint: Endpoint;
  path: string;
  body: string | null;
}

/** The request of a plan, on the objects of this fixture. */
export function buildRequest(plan: Plan, fixture: Fixture): PlannedRequest {
  const endpoint = operations[plan.operation] as Endpoint;
  const params = Object.fromEntries(
    // A URL cannot contain a lone surrogate, which URLSearchParams replaces itself.
    Object.entries(plan.params).map(([name, value]) => [name, encodeURIComponent(fill(value, fixture).toWellFormed())]),
  );
  const query = new URLSearchParams(plan.query.map(([name, value]) => [name, fill(value, fixture)])).toString();
  const path = buildPath(endpoint, fixture.ids, params) + (query === "" ? "" : `?${query}`);
  if (plan.body === null) return { endpoint, path, body: null };
  if ("raw" in plan.body) return { endpoint, path, body: fill(plan.body.raw, fixture) };
  const valid = validBody(endpoint, fixture);
  if (Array.isArray(valid)) return { endpoint, path, body: JSON.stringify(valid) };
  const body: Record<string, unknown> = { ...(valid as Record<string, unknown>), ...plan.body.over };
  for (const name of plan.body.without) delete body[name];
  return { endpoint, path, body: fill(JSON.stringify(body), fixture) };
}
