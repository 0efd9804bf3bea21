import { memberTexts } from "@/server/transport/rest/member-texts";

type Json = Record<string, unknown>;

/** Describes members that their schemas do not describe: a name means the same in every resource. */
export function describeMembers(json: Json, texts = memberTexts): void {
  for (const [name, member] of listMembers(json)) {
    const text = texts[name];
    if (member.description === undefined && text !== undefined) member.description = text;
  }
}

/** Adds the formats that follow from names, and drops what is noise in a description. */
export function annotate(json: Json, texts = memberTexts): void {
  describeMembers(json, texts);
  for (const [name, member] of listMembers(json)) {
    const format = findFormat(name);
    const text = [member, ...((member.anyOf ?? []) as Json[])].find(isPlainText);
    if (format !== null && text) text.format = format;
  }
  for (const object of listObjects(json)) {
    if (object.example !== undefined && object.type === "object") {
      object.examples = [object.example];
      delete object.example;
    }
    // The items of a tuple are limited by their number; linters expect a schema.
    if (object.items === false) object.items = {};
    if (object.additionalProperties === false) delete object.additionalProperties;
    if ((object.propertyNames as Json | undefined)?.type === "string") delete object.propertyNames;
    if (object.maximum === Number.MAX_SAFE_INTEGER) delete object.maximum;
    if (object.minimum === Number.MIN_SAFE_INTEGER) delete object.minimum;
  }
  for (const object of listObjects(json)) joinTypes(object);
}

/**
 * Writes alternatives that differ by their types as one schema: a keyword like `maxLength` only applies to its type.
 * That is shorter, and what more tools read.
 */
export function joinTypes(object: Json): void {
  if (!Array.isArray(object.anyOf)) return;
  const variants = object.anyOf as Json[];
  const types = variants.map(({ type }) => type);
  const [limited = {}, ...others] = variants.filter((variant) => Object.keys(variant).length > 1);
  const keywords = Object.keys(limited);
  if (others.length > 0 || keywords.some((key) => ["enum", "const", "anyOf", "$ref"].includes(key))) return;
  if (new Set(types).size < types.length || !types.every((type) => typeof type === "string")) return;
  if (keywords.some((key) => key !== "type" && object[key] !== undefined)) return;
  delete object.anyOf;
  Object.assign(object, limited, { type: types });
}

const isPlainText = (schema: Json): boolean =>
  [schema.type].flat().includes("string") && !schema.format && !schema.pattern && !schema.enum;

const times = new Set(["at", "time", "server_time", "timestamp"]);
/** Blank where there is none, so they are not always addresses. */
const blankAddresses = new Set(["callback_url", "thumbnail_url", "featured_image", "url"]);

function findFormat(name: string): string | null {
  if (name.endsWith("_at") || times.has(name)) return "date-time";
  if (name.endsWith("_uid")) return "uuid";
  if (name === "email" || name.endsWith("_email")) return "email";
  if (name.endsWith("_url") && !blankAddresses.has(name)) return "uri";
  return null;
}

function* listMembers(json: Json): Generator<[string, Json]> {
  for (const { properties } of listObjects(json)) {
    if (typeof properties !== "object" || properties === null) continue;
    for (const [name, member] of Object.entries(properties as Json))
      if (typeof member === "object" && member !== null) yield [name, member as Json];
  }
}

function* listObjects(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const part of Object.values(value)) yield* listObjects(part);
}
