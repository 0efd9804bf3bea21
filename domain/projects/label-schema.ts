import { z } from "zod";
import { choice, distinct, list, nonBlank, text } from "@/domain/fields";

/** The types of shapes that a label may have; none: all. */
export const shapeTypes = ["bbox", "polygon", "polyline", "keypoints", "mask", "cuboid", "classification"] as const;
export const attributeKinds = ["select", "multi", "boolean", "number", "text"] as const;

/** Attributes that mean something to Muster itself. */
const reservedKeys: ReadonlySet<string> = new Set(
  "id track keyframe outside occluded truncated confidence score run source order group view".split(" "),
);

export const LabelAttribute = z.object({
  key: nonBlank(100).refine((key) => !reservedKeys.has(key), { error: "Muster itself uses this key." }),
  name: text(100).default(""),
  kind: choice(attributeKinds),
  options: distinct(nonBlank(100), 100).default([]).describe("What `select` and `multi` choose from."),
  default: z
    .union([text(1_000), z.number(), z.boolean(), list(nonBlank(100), 100)])
    .describe("What it is until somebody chooses.")
    .optional(),
  required: z.boolean().default(false),
  per_frame: z.boolean().default(false).describe("Whether it may change between the frames of a video."),
});
export type LabelAttribute = z.output<typeof LabelAttribute>;

const details = {
  name: nonBlank(100),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: "Give a color as #rrggbb." })
    .default("#0891b2"),
  types: distinct(choice(shapeTypes), shapeTypes.length)
    .default([])
    .describe("The shapes that it may have; none: all."),
  key: z
    .string()
    .regex(/^[1-9]$/, { error: "Give a digit from 1 to 9." })
    .describe("The key that chooses it.")
    .optional(),
  attributes: list(LabelAttribute, 20)
    .refine((attributes) => new Set(attributes.map(({ key }) => key)).size === attributes.length, {
      error: "Every attribute may be there once only.",
    })
    .default([]),
  points: list(nonBlank(100), 100).default([]).describe("The names of the points of a skeleton, in their order."),
  edges: list(z.tuple([z.int().min(0), z.int().min(0)]), 200)
    .default([])
    .describe("The pairs of points that a skeleton connects."),
  description: text(1_000).default(""),
  retired: z.boolean().default(false).describe("Whether new shapes may not have it any more."),
};

/** A label as requests give it. Members inside lists have their wire names. */
export const LabelInput = z
  .object({ id: nonBlank(64).describe("The label that it is; without, the one of this name.").optional(), ...details })
  .refine(({ points, edges }) => edges.every((edge) => edge.every((at) => at < points.length)), {
    path: ["edges"],
    error: "An edge names a point that is not there.",
  });
export type LabelInput = z.output<typeof LabelInput>;

export const Label = z.object({
  id: z.string().describe("Stays the same when it is renamed."),
  number: z.int().describe("Its class in exports; never given to another label."),
  ...details,
  aliases: z.array(z.string()).describe("Its former names, which results may have."),
});
export type Label = z.output<typeof Label>;

/** A label as projects store it. Those stored before labels had numbers have a name and a color only. */
export const StoredLabel = z.looseObject({ name: z.string(), color: z.string() });
type StoredLabel = z.output<typeof StoredLabel>;

/** What a stored label may lack. */
const Numbered = z.looseObject({ id: z.string().optional(), number: z.int().optional() });

/** Completes labels as stored: one without a number has its place in the list. */
export const completeLabels = (stored: readonly StoredLabel[]): Label[] =>
  stored.map((label, at) => {
    const { number = at, id = String(number) } = Numbered.parse(label);
    return Label.parse({ aliases: [], ...label, id, number });
  });
