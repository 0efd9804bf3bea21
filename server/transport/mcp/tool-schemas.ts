import { z } from "zod";
import { describeMembers, joinTypes } from "@/server/transport/rest/annotations";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { memberTexts, parameterTexts, pathTexts } from "@/server/transport/rest/member-texts";

export type Json = Record<string, unknown>;

/** What a tool returns unless it is called with another value: less than REST, because a model has to read it. */
const modest: Readonly<Record<string, number>> = { limit: 20, points: 200, max_hits: 2 };

/** The defaults of a tool with these arguments. */
export const listDefaults = (properties: Json): [string, number][] =>
  Object.entries(modest).filter(([name]) => (properties[name] as Json | undefined)?.type === "integer");

/** Where paging differs from REST: results contain cursors, not addresses. */
const queryTexts = {
  ...parameterTexts,
  cursor: "`next` of the previous result.",
  limit: "Maximum number of results.",
};

export const parameterNames = (endpoint: Endpoint): string[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies `change` to each schema directly below one; members may have the names of keywords. */
function mapParts(schema: Json, change: (part: Json) => Json): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if ((keyword === "properties" || keyword === "$defs") && isJson(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part as Json)]))];
      if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword) && Array.isArray(value))
        return [keyword, (value as Json[]).map(change)];
      return [keyword, keyword === "items" && isJson(value) ? change(value) : value];
    }),
  );
}

const without = (schema: Json, keywords: readonly string[]): Json =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

const hasLimit = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value * 2);

/** Keywords that a model does not need to make a valid call; a refusal says what they say. */
const noise = ["pattern", "minLength", "maxLength", "maxItems", "propertyNames", "additionalProperties", "example"];

/** Drops noise, and in members of members the descriptions that were `given` before, as in variants of conditions. */
function shortenInput(schema: Json, given = new Set<unknown>(), depth = 0): Json {
  const dropped = [...noise];
  if (schema.format !== "date-time") dropped.push("format");
  if (!hasLimit(schema.minimum)) dropped.push("minimum");
  if (!hasLimit(schema.maximum)) dropped.push("maximum");
  if (depth > 1 && given.has(schema.description)) dropped.push("description");
  given.add(schema.description);
  return mapParts(without(schema, dropped), (part) => shortenInput(part, given, depth + 1));
}

function toJson(schema: z.ZodType, io: "input" | "output"): Json {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" }) as Json;
  return without(json, ["$schema"]);
}

/** JSON Schema of a tool's arguments: path, query and body of the operation in one object, each described. */
export function buildInputSchema(endpoint: Endpoint): Json {
  const names = parameterNames(endpoint);
  const properties: Json = Object.fromEntries(
    names.map((name) => [name, { type: "string", description: pathTexts[name] }]),
  );
  const required = [...names];
  const $defs: Json = {};
  const parts = [
    { schema: endpoint.query, texts: queryTexts },
    { schema: endpoint.body, texts: memberTexts },
  ];
  for (const { schema, texts } of parts) {
    if (!schema) continue;
    const json = toJson(schema, "input");
    describeMembers(json, texts);
    // A body that is a list has no member names; it is the argument `items`.
    const part = schema instanceof z.ZodArray ? { properties: { items: json }, required: ["items"] } : json;
    Object.assign(properties, part.properties);
    Object.assign($defs, json.$defs);
    if (Array.isArray(part.required)) required.push(...(part.required as string[]));
  }
  for (const [name, value] of listDefaults(properties))
    properties[name] = { ...(properties[name] as Json), default: value };
  const all = {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...(Object.keys($defs).length > 0 && { $defs }),
  };
  return { ...shortenInput(all), additionalProperties: false };
}

/** Writes an enumeration that may be null as one schema, in which null is one of its values. */
function joinNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [named, none] = anyOf as Json[];
  if (none?.type !== "null" || !Array.isArray(named?.enum) || typeof named.type !== "string") return schema;
  return { ...named, ...rest, type: [named.type, "null"], enum: [...(named.enum as unknown[]), null] };
}

/** How deep the members of results are listed: those of the rows of a list, and of objects in them. */
const maxDepth = 3;

/** More values of an enumeration are not listed: a model reads the one that is there. */
const maxChoices = 20;

/**
 * Types, enumerations and the members of the upper levels, the uppermost described. What is deeper, or recursive, is any
 * value.
 */
function shortenOutput(schema: Json, depth = 0): Json {
  if ("$ref" in schema) return {};
  const kept = ["type", "enum", "const", "properties", "items", "anyOf", "oneOf"];
  if (depth <= 1) kept.push("description");
  const { oneOf, ...part } = Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.includes(keyword)));
  if (Array.isArray(part.enum) && part.enum.length > maxChoices && part.type !== undefined) delete part.enum;
  // Of the values of a tuple nothing is said; this would say that there are none.
  if (part.items === false) delete part.items;
  if (depth > maxDepth && (part.properties ?? part.anyOf ?? oneOf)) return part.properties ? { type: "object" } : {};
  const below = part.properties ? depth + 1 : depth;
  const shortened = mapParts(
    // Shortened alternatives may hold together.
    { ...part, ...(oneOf !== undefined && { anyOf: oneOf }) },
    (each) => shortenOutput(each, below),
  );
  joinTypes(shortened);
  return joinNull(shortened);
}

/** A page of results without the address that REST has in `previous`: the argument `cursor` says how to go on. */
function describePage({ properties, ...page }: Json): Json {
  const { next, ...members } = without(properties as Json, ["previous"]);
  return {
    ...page,
    properties: { ...(isJson(next) && { next: without(next, ["description"]) }), ...members },
  };
}

/** JSON Schema of a tool's structured result, which is always an object; null for one that may have no response. */
export function buildOutputSchema({ response, status, alternatives }: Endpoint): Json | null {
  if (!response || status === 204 || alternatives?.includes(204)) return null;
  const json = shortenOutput(toJson(response, "output"));
  if (isJson(json.properties) && "results" in json.properties) return { type: "object", ...describePage(json) };
  if (json.type === "array") return { type: "object", properties: { items: json }, required: ["items"] };
  return { type: "object", ...json };
}
