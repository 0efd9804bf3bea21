import { z } from "zod";
import { scopes, type Role } from "@/domain/permissions";
import { errorTable } from "@/server/platform/errors";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { jsonSchema } from "@/server/transport/rest/wire";

type Json = Record<string, unknown>;

const detail = { type: "object", required: ["detail"], properties: { detail: { type: "string" } } };
const fieldMessages = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };

const rateHeaders = {
  "X-RateLimit-Limit": { schema: { type: "integer" }, description: "Requests allowed in the window of a minute." },
  "X-RateLimit-Remaining": { schema: { type: "integer" }, description: "Requests left in the window." },
  "X-RateLimit-Reset": { schema: { type: "integer" }, description: "When the window resets, in Unix seconds." },
  "X-Request-Id": { schema: { type: "string" }, description: "Names the request in the logs." },
};

/** The statuses of an operation's refusals, derived from its declaration. */
function refusals(endpoint: Endpoint): number[] {
  const codes = [429];
  // A change is also refused when the object's state does not permit it, such as resolving a resolved alert.
  if (endpoint.query || endpoint.body || endpoint.method !== "GET") codes.push(400);
  if (endpoint.body) codes.push(413, 415);
  if (endpoint.access) codes.push(401, 403);
  if (endpoint.params) codes.push(404);
  return codes.sort((a, b) => Number(a) - Number(b));
}

const errorText = (status: number): string =>
  Object.values(errorTable).find((entry) => entry.status === status)?.detail ?? "Refused.";

const pathParameters = (endpoint: Endpoint): Json[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

function queryParameters(endpoint: Endpoint): Json[] {
  if (!(endpoint.query instanceof z.ZodObject)) return [];
  const { properties = {}, required = [] } = jsonSchema(endpoint.query, "input") as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function security({ access }: Endpoint): Json[] {
  if (!access) return [];
  const key = { apiKey: [] };
  return access.permission.includes("device") ? [key, { deviceToken: [] }] : [key];
}

const roleTexts: Record<Role, string> = {
  member: "",
  admin: " The caller must be an admin or the owner.",
  owner: " The caller must be the owner.",
};

function permissionText({ access }: Endpoint): string {
  if (!access) return "No key needed.";
  const named = access.permission.filter((entry) => entry !== "device" && entry !== "full");
  const parts = [];
  if (named.includes("staff")) parts.push("a key of a staff user");
  else if (named.length > 0)
    parts.push(`an unscoped key or one with ${named.map((scope) => `\`${scope}\``).join(" or ")}`);
  else parts.push("an unscoped key");
  const also = (access.scopesToo ?? []).map((scope) => ` and \`${scope}\``).join("");
  if (access.permission.includes("device")) parts.push("a device's own token");
  return `Needs ${parts.join(", or ")}${also}.${roleTexts[access.role]}`;
}

function operation(endpoint: Endpoint): Json {
  const responses = [endpoint.status, ...(endpoint.alternatives ?? [])];
  const success = responses.map((status) => [
    String(status),
    {
      description: status === 204 ? "Done; no content." : "The answer.",
      headers: rateHeaders,
      ...(endpoint.response && status !== 204
        ? { content: { "application/json": { schema: jsonSchema(endpoint.response, "output") } } }
        : {}),
    },
  ]);
  const failures = refusals(endpoint).map((status) => [
    String(status),
    {
      description: errorText(status),
      headers: status === 429 ? { ...rateHeaders, "Retry-After": { schema: { type: "integer" } } } : rateHeaders,
      content: {
        "application/json": {
          schema: { $ref: status === 400 ? "#/components/schemas/FieldErrors" : "#/components/schemas/Detail" },
        },
      },
    },
  ]);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: [endpoint.description, permissionText(endpoint)].filter(Boolean).join("\n\n"),
    tags: [endpoint.id.split(".")[0]],
    security: security(endpoint),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...(endpoint.body && {
      requestBody: { content: { "application/json": { schema: jsonSchema(endpoint.body, "input") } } },
    }),
    responses: Object.fromEntries([...success, ...failures]),
  };
}

/** The OpenAPI 3.1 document of a registry, derived from the declarations alone. */
export function openApiDocument(registry: readonly Endpoint[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of registry) {
    (paths[`/api/v1${endpoint.path}`] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Muster API",
      version: "1",
      description:
        "Fleet operations: devices, recordings, events, rules and alerts. JSON over HTTPS; lists are cursor-paged; " +
        "the fleet area is a preview and may change.",
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Api-Key",
          description: `A key of the dashboard's settings. Without scopes it has full access; scopes: ${scopes.join(", ")}.`,
        },
        deviceToken: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Device-Token",
          description: "The token a device got at its registration; also accepted as `Authorization: Bearer`.",
        },
      },
      schemas: { Detail: detail, FieldErrors: fieldMessages },
    },
  };
}
