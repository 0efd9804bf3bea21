import { z } from "zod";
import { atMost, atMostElements, blank, emptyList, longerThan, notAChoice } from "@/domain/field-messages";
import { fleetPageSize, longPageSize, maxTextLength } from "@/domain/limits";
import { publishedAs } from "@/domain/published";
import { severities, type Severity } from "@/domain/severity";
import { uidPattern, uidPrefixes, type UidKind } from "@/domain/uid";

/**
 * The types of input fields that schemas consist of, with their error texts. Imports nothing of the server, so that
 * forms use the same schemas. Lengths count code points, as PostgreSQL does.
 */

/** Any text up to `max` code points (default 4,096), blank allowed. */
export const text = (max = maxTextLength) =>
  z
    .string()
    .refine((value) => !longerThan(value, max), { error: atMost(max) })
    .meta({ maxLength: max });

/** Text that is not blank. Not trimmed. */
export const nonBlank = (max = maxTextLength) =>
  text(max)
    .refine((value) => value.trim() !== "", { error: blank })
    .meta({ minLength: 1, maxLength: max });

/** A list of at most `max` items, and at least `min`. */
export function list<Item extends z.ZodType>(item: Item, max: number, min: 0 | 1 = 0): z.ZodArray<Item> {
  const items = z.array(item).max(max, { error: atMostElements(max) });
  return min === 0 ? items : items.min(1, { error: emptyList });
}

/** A list whose duplicates are dropped, the first order kept. */
export const distinct = <Item extends z.ZodType>(item: Item, max: number, min: 0 | 1 = 0) =>
  list(item, max, min).transform((items) => [...new Set(items)]);

/** At most 100 tags of 1 to 100 characters; duplicates are dropped, the first order kept. */
export const tags = () => distinct(nonBlank(100), 100);

const encoder = new TextEncoder();

export const jsonSize = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/** Whether a value is no larger than so many bytes as JSON, of which a character has at most three. */
function fitsAsJson(value: unknown, maxBytes: number): boolean {
  const text = JSON.stringify(value);
  return text.length * 3 <= maxBytes || encoder.encode(text).length <= maxBytes;
}

/** Bytes of a free-form JSON object, unless its field says otherwise. */
export const maxObjectBytes = 64 * 1024;

/** Free-form JSON object of at most `maxBytes` (default 64 KiB); its keys are kept as sent. */
export const jsonObject = (maxBytes = maxObjectBytes) =>
  z.record(z.string(), z.unknown()).refine((value) => fitsAsJson(value, maxBytes), {
    error: `Ensure this field is no larger than ${maxBytes} bytes.`,
  });

/** One of an enumeration, with Django REST Framework's error text for other values. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values);

const uidSchema = (kind: UidKind | null) => z.string().regex(uidPattern(kind), { error: "Must be a valid UUID." });
const kinds = Object.keys(uidPrefixes) as UidKind[];

/** The schemas of identifiers by kind; one each, so that the API's description names them. */
export const uidSchemas = {
  uuid: uidSchema(null).meta({ format: "uuid" }),
  ...(Object.fromEntries(kinds.map((kind) => [kind, uidSchema(kind)])) as Record<UidKind, z.ZodString>),
};

/** An identifier of a kind; without one a bare UUID. */
export const uid = (kind: UidKind | null = null): z.ZodString => uidSchemas[kind ?? "uuid"];

/** An e-mail address of at most 254 characters, trimmed and lower-cased. */
export const email = () =>
  z
    .string()
    .refine((value) => !longerThan(value, 254), { error: atMost(254), abort: true })
    .transform((value) => value.trim().toLowerCase())
    .pipe(z.email({ error: "Enter a valid email address." }));

// Query strings: everything arrives as text.

const maxEntries = 100;

const splitList = () =>
  z.string().transform((value, issues) => {
    const list = [
      ...new Set(
        value
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== ""),
      ),
    ];
    if (list.length <= maxEntries) return list;
    issues.addIssue({ code: "custom", message: atMostElements(maxEntries) });
    return z.NEVER;
  });

/** `a,b,c`: at most 100 distinct entries, empty ones dropped. */
export const commaList = () => publishedAs(splitList(), z.array(z.string()).max(maxEntries));

/** A comma list of values of an enumeration. */
export const choices = <const T extends readonly [string, ...string[]]>(values: T) =>
  publishedAs(
    splitList().transform((list, issues): T[number][] => {
      const wrong = list.find((entry) => !values.includes(entry));
      if (wrong === undefined) return list;
      issues.addIssue({ code: "custom", message: notAChoice(wrong, values) });
      return z.NEVER;
    }),
    z.array(z.enum(values)).max(maxEntries),
  );

/** Severities, or the minimum, as in the address of a screen: `critical,error` or `>=error`. */
export const severityList = () =>
  commaList().transform((list, issues): Severity[] => {
    const chosen = new Set<Severity>();
    for (const entry of list) {
      const least = severities.findIndex((each) => entry === `>=${each}`);
      const exact = severities.find((each) => entry === each);
      if (least >= 0) for (const each of severities.slice(least)) chosen.add(each);
      else if (exact) chosen.add(exact);
      else {
        issues.addIssue({ code: "custom", message: notAChoice(entry, severities) });
        return z.NEVER;
      }
    }
    return [...chosen];
  });

/** `true` or `false`; `1`, `0`, `True` and `False` are accepted, too. */
export const queryBoolean = () =>
  publishedAs(
    z
      .enum(["true", "false", "1", "0", "True", "False"], { error: "Must be a valid boolean." })
      .transform((value) => ["true", "1", "True"].includes(value)),
    z.boolean(),
  );

/**
 * A JSON object in a query string, at most 32 deep; used as a containment filter, so operators in it are plain values.
 */
export const jsonFilter = () =>
  z.string().transform((value, issues): Record<string, unknown> => {
    const refuse = (message: string) => {
      issues.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    let parsed: unknown;
    try {
      parsed = JSON.parse(value);
    } catch {
      return refuse("Value must be valid JSON.");
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      return refuse("Value must be a JSON object.");
    return jsonDepth(parsed) > maxJsonDepth ? refuse(tooDeep) : (parsed as Record<string, unknown>);
  });

export const maxJsonDepth = 32;
export const tooDeep = `Ensure this field is nested no deeper than ${maxJsonDepth} levels.`;

/**
 * How deep arrays and objects nest in a value; a scalar is 0. Never recurses, so hostile depth cannot overflow the
 * stack.
 */
export function jsonDepth(value: unknown): number {
  let depth = 0;
  let level: unknown[] = [value];
  for (;;) {
    const below: unknown[] = [];
    let containers = 0;
    for (const entry of level) {
      if (typeof entry !== "object" || entry === null) continue;
      containers++;
      const children = Array.isArray(entry) ? entry : Object.values(entry);
      for (const child of children) if (typeof child === "object" && child !== null) below.push(child);
    }
    if (containers === 0) return depth;
    depth++;
    level = below;
  }
}

/** A name used in URLs: lower case letters, digits and hyphens. */
export const slug = () =>
  z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: "Enter a valid slug of lower case letters, digits and hyphens." })
    .max(100, { error: atMost(100) });

/** `ordering` of a list: one of the columns, with a leading `-` descending. */
export const ordered = <const T extends readonly [string, ...string[]]>(columns: T) =>
  choice<[...T, ...`-${T[number]}`[]]>([
    ...columns,
    ...columns.map((column: T[number]) => `-${column}` as const),
  ]).optional();

const integerNeeded = "A valid integer is required.";

/** An integer from 1 in a query; clamped to `max`, `otherwise` when absent. */
export const clamped = (max: number, otherwise: number, digits = 15) =>
  publishedAs(
    z
      .union(
        [
          z
            .string()
            .regex(new RegExp(`^\\d{1,${digits}}$`), { error: integerNeeded })
            .transform(Number),
          z.number().int(),
        ],
        {
          error: integerNeeded,
        },
      )
      .refine((value) => value >= 1, { error: "Ensure this value is greater than or equal to 1." })
      .transform((value) => Math.min(value, max))
      .optional()
      .transform((value) => value ?? otherwise),
    z.int().min(1).max(max).default(otherwise),
  );

/** `limit` and `cursor` of a list. Fleet lists: default 50, at most 200 (more is clamped); elsewhere 100 and 1,000. */
export const pageFields = (size: { default: number; max: number } = fleetPageSize) => ({
  limit: clamped(size.max, size.default),
  cursor: z.string().optional(),
});

/** `limit` and `cursor` of a list outside the fleet: 100 by default, at most 1,000. */
export const longPage = () => pageFields(longPageSize);
