import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { annotate } from "@/server/transport/rest/annotations";

export type Json = Record<string, unknown>;
type Direction = "input" | "output";

/** The names under which schemas are published; descriptions come from the schemas themselves. */
class NamedSchemas extends z.core.$ZodRegistry<{ id?: string }> {
  constructor(private readonly names: ReadonlyMap<z.ZodType, string>) {
    super();
  }
  override get(schema: z.core.$ZodType) {
    const id = this.names.get(schema as z.ZodType);
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
    return { ...meta, ...(id !== undefined && { id }) } as ReturnType<z.core.$ZodRegistry<{ id?: string }>["get"]>;
  }
}

const definitions = "#/$defs/";
const components = "#/components/schemas/";

/**
 * Converts schemas to JSON Schema with a reference to every named one, and collects those. A schema that requests and
 * responses have in different shapes (a default is optional in one of them) is published twice.
 */
export class SchemaComponents {
  private readonly named: NamedSchemas;
  private readonly found = { input: new Map<string, Json>(), output: new Map<string, Json>() };
  private readonly roots: { root: Json; direction: Direction }[] = [];

  constructor(private readonly names: ReadonlyMap<z.ZodType, string>) {
    this.named = new NamedSchemas(names);
  }

  /** The published schema; complete only after `finish`. A page of a list gets the name of what it lists. */
  convert(schema: z.ZodType, direction: Direction): Json {
    const page = this.names.has(schema) ? null : this.getPageName(schema);
    const { $defs, ...root } = this.toJson(schema, direction);
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>))
      this.collect(name, definition, direction);
    const converted = page === null ? root : { $ref: definitions + page };
    if (page !== null) this.collect(page, root, direction);
    this.roots.push({ root: converted, direction });
    return converted;
  }

  /** The members of an object, such as the parameters of a query, without a name of its own. */
  convertMembers(
    schema: z.ZodObject,
    texts?: Readonly<Record<string, string>>,
  ): { name: string; description: unknown; schema: Json; required: boolean }[] {
    const { $defs, $ref, ...rest } = this.toJson(schema, "input", texts);
    const defs = ($defs ?? {}) as Record<string, Json>;
    const own = typeof $ref === "string" ? (defs[$ref.slice(definitions.length)] ?? {}) : rest;
    for (const [name, definition] of Object.entries(defs))
      if (definition !== own) this.collect(name, definition, "input");
    const { properties = {}, required = [] } = own as { properties?: Record<string, Json>; required?: string[] };
    return Object.entries(properties).map(([name, { description, ...member }]) => {
      this.roots.push({ root: member, direction: "input" });
      return { name, description, schema: member, required: required.includes(name) };
    });
  }

  /** Resolves all references of what was converted, in place, and returns the named schemas in alphabetical order. */
  finish(): Record<string, Json> {
    const { input, output } = this.found;
    const different = new Set([...input.keys()].filter((name) => output.has(name) && !this.isSame(name)));
    // What refers to a schema with two shapes has two shapes itself.
    for (let size = -1; size !== different.size;) {
      size = different.size;
      for (const [name, schema] of input)
        if (output.has(name) && listReferences(schema).some((other) => different.has(other))) different.add(name);
    }
    const publishedName = (name: string, direction: Direction) =>
      direction === "input" && different.has(name) ? `${name}Input` : name;
    const result = new Map<string, Json>();
    for (const direction of ["output", "input"] as const) {
      for (const [name, schema] of this.found[direction]) {
        resolve(schema, (reference) => components + publishedName(reference, direction));
        result.set(publishedName(name, direction), schema);
      }
    }
    for (const { root, direction } of this.roots)
      resolve(root, (reference) => components + publishedName(reference, direction));
    for (const schema of result.values()) addMapping(schema, result);
    return Object.fromEntries([...result].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private isSame = (name: string): boolean =>
    isDeepStrictEqual(this.found.input.get(name), this.found.output.get(name));

  private toJson(schema: z.ZodType, io: Direction, texts?: Readonly<Record<string, string>>): Json {
    const json = z.toJSONSchema(schema, {
      io,
      metadata: this.named,
      unrepresentable: "any",
      target: "draft-2020-12",
      override: ({ zodSchema, jsonSchema }) => {
        const { def } = zodSchema._zod as { def: { type: string; discriminator?: string } };
        if (def.type === "union" && def.discriminator !== undefined)
          jsonSchema.discriminator = { propertyName: def.discriminator };
      },
    }) as Json;
    delete json.$schema;
    annotate(json, texts);
    return json;
  }

  private getPageName(schema: z.ZodType): string | null {
    if (!(schema instanceof z.ZodObject)) return null;
    const { next, results } = schema.shape as Record<string, unknown>;
    if (next === undefined || !(results instanceof z.ZodArray)) return null;
    const name = this.names.get(results.element as z.ZodType);
    return name === undefined ? null : `${name}Page`;
  }

  private collect(name: string, schema: Json, direction: Direction): void {
    const known = this.found[direction].get(name);
    if (known === undefined) this.found[direction].set(name, schema);
    else if (!isDeepStrictEqual(known, schema)) throw new Error(`Two schemas have the name ${name}.`);
  }
}

/** Every object in a JSON value, the value itself included. */
function* listObjects(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const part of Object.values(value)) yield* listObjects(part);
}

function* listDefinitionReferences(schema: Json): Generator<[Json, string]> {
  for (const object of listObjects(schema)) {
    const { $ref } = object;
    if (typeof $ref === "string" && $ref.startsWith(definitions)) yield [object, $ref.slice(definitions.length)];
  }
}

const listReferences = (schema: Json): string[] => [...listDefinitionReferences(schema)].map(([, name]) => name);

function resolve(schema: Json, target: (name: string) => string): void {
  for (const [object, name] of listDefinitionReferences(schema)) object.$ref = target(name);
}

/** Completes discriminators with the schema of each value; a union of unnamed schemas has none. */
function addMapping(schema: Json, named: ReadonlyMap<string, Json>): void {
  for (const object of listObjects(schema)) {
    const discriminator = object.discriminator as { propertyName: string; mapping?: Json } | undefined;
    if (!discriminator || typeof discriminator.propertyName !== "string" || !Array.isArray(object.oneOf)) continue;
    const entries = (object.oneOf as Json[]).map(({ $ref }) => {
      const variant = typeof $ref === "string" ? named.get($ref.slice(components.length)) : undefined;
      const member = (variant?.properties as Record<string, Json> | undefined)?.[discriminator.propertyName];
      return [member?.const, $ref] as const;
    });
    if (entries.every(([value]) => typeof value === "string")) discriminator.mapping = Object.fromEntries(entries);
    else delete object.discriminator;
  }
}
