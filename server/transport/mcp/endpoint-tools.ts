import { z } from "zod";
import { mayCall, type Access } from "@/domain/permissions";
import { env } from "@/server/platform/env";
import { invalid } from "@/server/platform/errors";
import type { Tool } from "@/server/transport/mcp/tools";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { performEndpoint } from "@/server/transport/rest/perform";
import { jsonSchema } from "@/server/transport/rest/wire";

const parameterNames = (endpoint: Endpoint): string[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

type Properties = Record<string, unknown>;

function inputSchema(endpoint: Endpoint): Record<string, unknown> {
  const names = parameterNames(endpoint);
  const properties: Properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const required = [...names];
  const $defs: Properties = {};
  for (const schema of [endpoint.query, endpoint.body]) {
    if (!schema) continue;
    const json = jsonSchema(schema, "input");
    // A body that is a list has no member names; it is the argument `items`.
    const part = schema instanceof z.ZodArray ? { properties: { items: json }, required: ["items"] } : json;
    Object.assign(properties, part.properties);
    Object.assign($defs, json.$defs);
    if (Array.isArray(part.required)) required.push(...(part.required as string[]));
  }
  return { type: "object", properties, required, ...(Object.keys($defs).length > 0 && { $defs }) };
}

function tool(endpoint: Endpoint, access: Access): Tool {
  const names = parameterNames(endpoint);
  const readOnly = access.changes === "nothing";
  return {
    name: endpoint.id.replaceAll(/[.-]/g, "_"),
    title: endpoint.summary,
    description: [endpoint.summary, endpoint.description].filter(Boolean).join(". "),
    inputSchema: inputSchema(endpoint),
    readOnly,
    destructive: endpoint.method === "DELETE",
    allowed: (ctx) => mayCall(ctx.permissions, access),
    call: async (ctx, args) => {
      const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
      const params: Record<string, string> = {};
      for (const name of names) {
        const value = args[name];
        if (typeof value !== "string") throw invalid(name, "This field is required.");
        params[name] = value;
      }
      // Schemas of queries parse text, because values are text over HTTP.
      const query = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, asText(value)]));
      const body = endpoint.body instanceof z.ZodArray ? rest.items : rest;
      return (await performEndpoint(endpoint, ctx, { params, query, body }, env.PUBLIC_URL)).result;
    },
  };
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Creates a tool for every operation, except anonymous ones and those for staff. */
export const createTools = (endpoints: readonly Endpoint[]): Tool[] =>
  endpoints.flatMap((endpoint) => {
    const { access } = endpoint;
    return access && !access.permission.includes("staff") ? tool(endpoint, access) : [];
  });
