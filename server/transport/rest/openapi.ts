import { z } from "zod";
import { isForDevices, scopes, type Role } from "@/domain/permissions";
import { uidPattern, type UidKind } from "@/domain/uid";
import { errorTable, type ErrorCode } from "@/server/platform/errors";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { exampleFor } from "@/server/transport/rest/examples";
import { maxIdempotencyKey } from "@/server/transport/rest/idempotency";
import { parameterTexts, pathTexts } from "@/server/transport/rest/member-texts";
import { SchemaComponents, type Json } from "@/server/transport/rest/schema-components";

/** A request that Muster sends to an address of the customer's. */
export interface Callback {
  name: string;
  tag: string;
  summary: string;
  description: string;
  body: z.ZodType;
}

/** What the document is made of. */
export interface Description {
  endpoints: readonly Endpoint[];
  callbacks: readonly Callback[];
  /** The names of the component schemas. */
  names: ReadonlyMap<z.ZodType, string>;
  /** The component schemas whose `uid` begins with a kind; that of others is a bare UUID. */
  identifierKinds: ReadonlyMap<string, UidKind>;
  /** What each area contains, by the first part of the operations' ids. */
  areas: Readonly<Record<string, string>>;
}

const integer = (description: string): Json => ({ description, schema: { type: "integer" } });
const headers: Readonly<Record<string, Json>> = {
  "X-RateLimit-Limit": integer("Requests allowed in the window of a minute."),
  "X-RateLimit-Remaining": integer("Requests left in the window."),
  "X-RateLimit-Reset": integer("When the window resets, in Unix seconds."),
  "X-Request-Id": { description: "Identifies the request in the logs.", schema: { type: "string" } },
  "Retry-After": integer("Seconds to wait before the next attempt."),
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
};

const useHeaders = (...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const everyHeader = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"];

/** The shared responses of refusals, with the headers beyond those of every response. They are named by their status. */
const refusalResponses = {
  invalid: {
    text: "A field is missing or invalid. The messages are grouped by field; `non_field_errors` are about the whole.",
    extra: [],
  },
  unauthenticated: {
    text: "No key or token was sent, or it is invalid, revoked or expired.",
    extra: ["WWW-Authenticate"],
  },
  forbidden: { text: "The scopes of the key or the role of its owner do not allow this operation.", extra: [] },
  not_found: { text: "No such object exists in this organization.", extra: [] },
  conflict: { text: "The state of the object does not allow it, or it exists already.", extra: [] },
  too_large: { text: "The body is larger than this operation accepts.", extra: [] },
  unsupported_media_type: { text: "The body is not JSON, or it is compressed.", extra: [] },
  throttled: { text: "The caller sent more requests than its limit allows.", extra: ["Retry-After"] },
  unavailable: { text: "The database or the object store cannot be reached at the moment.", extra: ["Retry-After"] },
} as const satisfies Partial<Record<ErrorCode, { text: string; extra: readonly string[] }>>;
type Refusal = keyof typeof refusalResponses;

const toStatus = (code: Refusal): string => String(errorTable[code].status);

const refusalComponents = (): Json =>
  Object.fromEntries(
    (Object.keys(refusalResponses) as Refusal[]).map((code) => [
      toStatus(code),
      {
        description: refusalResponses[code].text,
        headers: useHeaders(...everyHeader, ...refusalResponses[code].extra),
        content: {
          "application/json":
            code === "invalid"
              ? { schema: { $ref: "#/components/schemas/FieldErrors" }, example: { name: ["This field is required."] } }
              : { schema: { $ref: "#/components/schemas/Detail" }, example: { detail: errorTable[code].detail } },
        },
      },
    ]),
  );

const errorSchemas: Json = {
  Detail: {
    type: "object",
    description: "Why a request was refused.",
    required: ["detail"],
    properties: { detail: { type: "string", description: "The reason." } },
  },
  FieldErrors: {
    type: "object",
    description: "Messages by field. Below the top level, the position opens the message: `3.label: …`.",
    additionalProperties: { type: "array", items: { type: "string" } },
  },
};

/** The refusals of an operation, derived from its declaration. 405 is none: it is about a method without operation. */
function listRefusals({ access, body, method, params, query }: Endpoint): Refusal[] {
  const refusals: Refusal[] = ["throttled", "unavailable"];
  // A change is also refused when the object's state does not permit it, such as resolving a resolved alert.
  if (query || body || method !== "GET") refusals.push("invalid");
  if (body) refusals.push("too_large", "unsupported_media_type");
  if (method !== "GET") refusals.push("conflict");
  if (access) refusals.push("unauthenticated", "forbidden");
  if (params) refusals.push("not_found");
  return refusals;
}

/** The parameters of the path in its order; each is a text that its schema reads. */
function pathParameters(schemas: SchemaComponents, { path, params }: Endpoint): Json[] {
  const members = params instanceof z.ZodObject ? schemas.convertMembers(params) : [];
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const schema = members.find((each) => each.name === name)?.schema ?? { type: "string" };
    return { name, in: "path", required: true, description: pathTexts[name], schema };
  });
}

function queryParameters(schemas: SchemaComponents, { query }: Endpoint): Json[] {
  if (!(query instanceof z.ZodObject)) return [];
  return schemas.convertMembers(query, parameterTexts).map(({ name, description, schema, required }) => ({
    name,
    in: "query",
    ...(required && { required }),
    ...(description !== undefined && { description }),
    // A list is sent as `a,b`.
    ...(schema.type === "array" && { style: "form", explode: false }),
    schema,
  }));
}

const keyOnly: Json[] = [{ apiKey: [] }];

/** How a caller authenticates, where that is not by an API key alone, which is the document's default. */
function security({ access, bearerKeys }: Endpoint): Json {
  if (!access) return { security: [] };
  if (bearerKeys) return { security: [...keyOnly, { bearerKey: [] }] };
  if (isForDevices(access)) return { security: [{ deviceToken: [] }] };
  return access.permission.includes("device") ? { security: [...keyOnly, { deviceToken: [] }] } : {};
}

const roleTexts: Record<Role, string> = {
  member: "",
  admin: " For admins and the owner.",
  owner: " For the owner.",
};

function permissionText({ access }: Endpoint): string {
  if (!access) return "No key needed.";
  if (isForDevices(access)) return "Needs a device's own token.";
  const named = access.permission.filter((entry) => entry !== "device" && entry !== "full");
  const parts = [];
  if (named.includes("staff")) parts.push("a key of a staff user");
  else if (named.length > 0) parts.push(named.map((scope) => `\`${scope}\``).join(" or "));
  else parts.push("an unscoped key");
  const also = (access.scopesToo ?? []).map((scope) => ` and \`${scope}\``).join("");
  if (access.permission.includes("device")) parts.push("a device's own token");
  return `Needs ${parts.join(", or ")}${also}.${roleTexts[access.role]}`;
}

const idempotencyParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Repeats a request safely: for 24 hours the same key, caller, path and body get the first response again, with " +
    "`Idempotent-Replayed: true`. Another body is a 400, a request that still runs a 409.",
  schema: { type: "string", minLength: 1, maxLength: maxIdempotencyKey },
};

function operation(schemas: SchemaComponents, endpoint: Endpoint): Json {
  const { body, response } = endpoint;
  const successes = [endpoint.status, ...(endpoint.alternatives ?? [])].map((status) => [
    String(status),
    {
      description: status === 204 ? "Done." : "Success.",
      ...(response &&
        status !== 204 && { content: { "application/json": { schema: schemas.convert(response, "output") } } }),
    },
  ]);
  const refusals = listRefusals(endpoint)
    .map((code) => [toStatus(code), { $ref: `#/components/responses/${toStatus(code)}` }])
    .sort(([a], [b]) => Number(a) - Number(b));
  const parameters = [
    ...pathParameters(schemas, endpoint),
    ...queryParameters(schemas, endpoint),
    ...(endpoint.creates ? [idempotencyParameter] : []),
  ];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: [endpoint.description, permissionText(endpoint)].filter(Boolean).join("\n\n"),
    tags: [getArea(endpoint)],
    ...security(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: schemas.convert(body, "input") } } },
    }),
    responses: Object.fromEntries([...successes, ...refusals]),
  };
}

const getArea = ({ id }: Endpoint): string => id.split(".")[0] ?? id;

const callbackOperation = (schemas: SchemaComponents, { name, tag, summary, description, body }: Callback): Json => ({
  operationId: `receive.${name}`,
  summary,
  description,
  tags: [tag],
  security: [],
  requestBody: { required: true, content: { "application/json": { schema: schemas.convert(body, "output") } } },
  responses: {
    "2XX": { description: "Received." },
    "4XX": { description: "Sent again later. 410 deactivates a subscription." },
  },
});

/** Adds an example to every body; the schemas must be complete. */
function addExamples(paths: Readonly<Record<string, Json>>, schemas: Readonly<Record<string, Json>>): void {
  for (const operations of Object.values(paths)) {
    for (const { requestBody } of Object.values(operations) as { requestBody?: { content: Record<string, Json> } }[]) {
      const content = requestBody?.content["application/json"];
      if (content) content.example = exampleFor(content.schema as Json, schemas);
    }
  }
}

/** A parameter is a component when this many operations have it. */
const minUses = 2;

/** Replaces parameters that many operations share by references; returns the components. */
function shareParameters(paths: Readonly<Record<string, Json>>): Json {
  const lists = Object.values(paths)
    .flatMap((operations) => Object.values(operations) as { parameters?: Json[] }[])
    .flatMap(({ parameters }) => (parameters ? [parameters] : []));
  const uses = new Map<string, number>();
  for (const parameter of lists.flat())
    uses.set(JSON.stringify(parameter), (uses.get(JSON.stringify(parameter)) ?? 0) + 1);
  const shared = new Map<string, { name: string; parameter: Json }>();
  const names = new Set<string>();
  for (const parameters of lists) {
    for (const [index, parameter] of parameters.entries()) {
      const text = JSON.stringify(parameter);
      if ((uses.get(text) ?? 0) < minUses) continue;
      let entry = shared.get(text);
      if (!entry) {
        let name = `${String(parameter.in)}.${String(parameter.name)}`;
        for (let number = 2; names.has(name); number++) name = `${name.replace(/\.\d+$/, "")}.${number}`;
        names.add(name);
        shared.set(text, (entry = { name, parameter }));
      }
      parameters[index] = { $ref: `#/components/parameters/${entry.name}` };
    }
  }
  return Object.fromEntries([...shared.values()].map(({ name, parameter }) => [name, parameter]));
}

/** Publishes the shape of a resource's own identifier. */
function describeIdentifier({ properties }: Json, kind: UidKind | undefined): void {
  const uid = (properties as Record<string, Json> | undefined)?.uid;
  if (uid?.type !== "string" || uid.format !== undefined || uid.pattern !== undefined) return;
  if (kind) uid.pattern = uidPattern(kind).source;
  else uid.format = "uuid";
}

/** The OpenAPI 3.1 document of the declared operations, but for the address of the server. */
export function openApiDocument({ endpoints, callbacks, names, identifierKinds, areas }: Description): Json {
  const converter = new SchemaComponents(names);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = `/api/v1${endpoint.documentedPath ?? endpoint.path}`;
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(converter, endpoint);
  }
  const webhooks = Object.fromEntries(
    callbacks.map((callback) => [callback.name, { post: callbackOperation(converter, callback) }]),
  );
  const schemas = { ...converter.finish(), ...errorSchemas } as Record<string, Json>;
  for (const [name, schema] of Object.entries(schemas)) describeIdentifier(schema, identifierKinds.get(name));
  addExamples(paths, schemas);
  const parameters = shareParameters(paths);
  const tags = [...new Set(endpoints.map(getArea))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Muster API",
      version: "1",
      summary: "Fleet operations for robots.",
      description:
        "Fleet operations: devices, recordings, events, rules and alerts. JSON over HTTPS; lists are cursor-paged; " +
        "the fleet area is a preview and may change. Every response has `X-Request-Id` and the three `X-RateLimit` " +
        "headers of the refusals.\n\nWhat Muster sends to addresses (`webhooks` here) is signed: `X-Service-Signature` is " +
        "the HMAC-SHA256 of the body under the secret, as lower-case hex; `webhook-id`, `webhook-timestamp` and " +
        "`webhook-signature` are those of Standard Webhooks. It is sent at least once: `X-Service-Delivery` stays the same " +
        "in every attempt.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: keyOnly,
    tags: tags.map((name) => ({ name, description: areas[name] })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Api-Key",
          description: `A key of the dashboard's settings. Without scopes it has full access, else to what needs one of its scopes: ${scopes.join(", ")}.`,
        },
        bearerKey: { type: "http", scheme: "bearer", description: "The same key, for hosts of models." },
        deviceToken: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Device-Token",
          description: "The token a device got at its registration; also accepted as `Authorization: Bearer`.",
        },
      },
      headers,
      parameters,
      responses: refusalComponents(),
      schemas,
    },
  };
}
