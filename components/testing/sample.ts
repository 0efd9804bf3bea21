import { z } from "zod";

/** The members of a JSON Schema by which samples are made. */
interface Shape {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  prefixItems?: Shape[];
  minItems?: number;
  minimum?: number;
  maximum?: number;
}

let made = 0;
const day = Date.UTC(2026, 1, 2, 9);

/** Values that tell samples of one test apart; times are minutes of one morning. */
function makeText(name: string, seed: number): string {
  const number = String(seed).padStart(12, "0");
  if (/(^|_)uid$|_id$/.test(name)) return `${name.slice(0, 3)}_00000000-0000-7000-8000-${number}`;
  if (/(_at|^at|timestamp)$/.test(name)) return new Date(day + seed * 60_000).toISOString();
  return `${name.replaceAll("_", " ")} ${seed}`;
}

function make(shape: Shape, name: string, seed: number): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  const one = shape.anyOf?.[0] ?? shape.oneOf?.[0] ?? shape.allOf?.[0];
  if (one) return make(one, name, seed);
  if (shape.prefixItems) return shape.prefixItems.map((item) => make(item, name, seed));
  switch (shape.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([member]) => shape.required?.includes(member))
          .map(([member, value]) => [member, make(value, member, seed)]),
      );
    case "array":
      return Array.from({ length: shape.minItems ?? 0 }, () => make(shape.items ?? {}, name, seed));
    case "string":
      return makeText(name, seed);
    case "integer":
    case "number":
      return Math.min(Math.max(seed, shape.minimum ?? seed), shape.maximum ?? seed);
    case "boolean":
      return false;
    default:
      return null;
  }
}

/**
 * What the server sends by a resource's schema, complete, with some members given. What is optional is left out, of
 * choices the first is taken; texts, times and numbers follow from how many samples the test made before.
 */
export function sample<Schema extends z.ZodType<object>>(
  schema: Schema,
  members: Partial<z.output<Schema>> = {},
): z.output<Schema> {
  made += 1;
  const shape = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as Shape;
  return schema.parse({ ...(make(shape, "", made) as object), ...members }) as z.output<Schema>;
}

/** Lets the next test begin with the first sample again. */
export function endSamples(): void {
  made = 0;
}
