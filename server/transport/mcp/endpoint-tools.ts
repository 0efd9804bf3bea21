import { z } from "zod";
import { isForDevices, mayCall, type Access } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { invalidInput } from "@/server/platform/errors";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { limitResult } from "@/server/transport/mcp/result-size";
import {
  buildInputSchema,
  buildOutputSchema,
  listDefaults,
  parameterNames,
  type Json,
} from "@/server/transport/mcp/tool-schemas";
import type { Tool } from "@/server/transport/mcp/tools";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { performEndpoint, type WireInput } from "@/server/transport/rest/perform";
import { checkResponse } from "@/server/transport/rest/response";

const toolName = ({ id }: Endpoint): string => id.replaceAll(/[.-]/g, "_");

/** Schemas of queries parse text, because values are text over HTTP. */
function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** A null argument of a query is an absent one: models send it for what they leave open. */
const toQuery = (args: Json): Json =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, asText(value)]],
    ),
  );

/**
 * Divides arguments into those of path, query and body. Throws `invalid` for missing path parameters, and for unknown
 * arguments: without its misspelled filter a list would be a wrong answer.
 */
function divide(endpoint: Endpoint, known: Json, args: Json): WireInput {
  const names = parameterNames(endpoint);
  const accepted = [...Object.keys(known), ...Object.keys(endpoint.renames ?? {})];
  const issues = [
    ...names
      .filter((name) => typeof args[name] !== "string")
      .map((name) => ({ path: [name], message: "This field is required." })),
    ...Object.keys(args)
      .filter((name) => !accepted.includes(name))
      .map((name) => ({
        path: [name],
        message: `There is no such argument. Arguments: ${Object.keys(known).join(", ") || "none"}.`,
      })),
  ];
  if (issues.length > 0) throw invalidInput(issues);
  const all = { ...Object.fromEntries(listDefaults(known)), ...args };
  const rest = Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
  return {
    params: Object.fromEntries(names.map((name) => [name, String(args[name])])),
    query: endpoint.query ? toQuery(rest) : {},
    body: endpoint.body instanceof z.ZodArray ? rest.items : rest,
  };
}

/** Counts a call against the operation's own limit; every message counts against the caller's. */
async function countCall({ rateLimit = "default" }: Endpoint, { actor }: Ctx): Promise<void> {
  if (rateLimit === "default") return;
  const { retryAfterSeconds } = await countRequest(rateLimit, actor.userId ?? actor.id);
  if (retryAfterSeconds !== null) throw throttled(retryAfterSeconds);
}

function createTool(endpoint: Endpoint, access: Access, describe: (text: string) => string): Tool {
  let built: ReturnType<Tool["schemas"]> | undefined;
  const schemas = () => (built ??= { input: buildInputSchema(endpoint), output: buildOutputSchema(endpoint) });
  const readOnly = access.changes === "nothing";
  return {
    name: toolName(endpoint),
    operation: endpoint.id,
    area: endpoint.id.split(".")[0] ?? endpoint.id,
    title: endpoint.summary,
    description: describe([endpoint.summary, endpoint.description].filter(Boolean).join(". ")),
    schemas,
    readOnly,
    destructive: !readOnly && !endpoint.creates,
    idempotent: readOnly || ["PUT", "PATCH", "DELETE"].includes(endpoint.method),
    allowed: (ctx) => mayCall(ctx.permissions, access),
    call: async (ctx, args, origin) => {
      const input = divide(endpoint, schemas().input.properties as Json, args);
      await countCall(endpoint, ctx);
      const { result } = await performEndpoint(endpoint, ctx, input, origin);
      if (!endpoint.response || result === null) return null;
      const checked = checkResponse(endpoint, result);
      return limitResult(Array.isArray(checked) ? { items: checked } : (checked as Json));
    },
  };
}

/** Operations that a person confirms by typing a password or a name, which no model should do in their place. */
const confirmed = new Set(["account.delete", "organizations.delete"]);

/** Operations that set up where items are sent to and with which secrets, which no model should do. */
const settingUp = new Set([
  "models.create",
  "models.update",
  "models.delete",
  "models.add-integration",
  "models.update-integration",
  "models.delete-integration",
  "models.rotate-secret",
  "models.try",
]);

/**
 * Creates a tool for every operation, except anonymous ones, those for staff, devices and editors, those that a
 * person confirms, and those that set up models.
 */
export function createTools(endpoints: readonly Endpoint[]): Tool[] {
  const names = new Map(endpoints.map((endpoint) => [endpoint.path as string, toolName(endpoint)]));
  // Descriptions name other operations by their paths, which models cannot request.
  const describe = (text: string): string =>
    text.replaceAll(/`(\/[^`]+)`/g, (quoted, path: string) => (names.has(path) ? `\`${names.get(path)}\`` : quoted));
  return endpoints.flatMap((endpoint) => {
    const { access } = endpoint;
    if (confirmed.has(endpoint.id) || settingUp.has(endpoint.id) || endpoint.leased) return [];
    return access && !access.permission.includes("staff") && !isForDevices(access)
      ? createTool(endpoint, access, describe)
      : [];
  });
}
