import { z } from "zod";
import { jsonObject, list, nonBlank, uid } from "@/domain/fields";
import { annotationCoordinates } from "@/domain/tasks/schema";

/** The limits of a draft. */
export const draftLimits = { shapes: 10_000, ops: 500, shapeBytes: 2 * 1024 * 1024, bodyBytes: 1024 * 1024 } as const;

const shape = <T extends keyof typeof annotationCoordinates>(type: T) =>
  z.object({
    id: uid(),
    label_id: nonBlank(64).describe("The `id` of a label of the project."),
    type: z.literal(type),
    coordinates: annotationCoordinates[type],
    attributes: jsonObject().default({}),
    position: z.number().describe("Its place among the shapes of the draft, the lowest first."),
  });

/** A mark while it is edited. Its id stays the same through drafts, results and exports. */
export const DraftShape = z.discriminatedUnion("type", [
  shape("bbox"),
  shape("polygon"),
  shape("polyline"),
  shape("keypoints"),
  shape("cuboid"),
  shape("classification"),
]);
export type DraftShape = z.output<typeof DraftShape>;

/** A change of a draft: a whole shape, new or in place of the one with its id; one less; or another place in the order. */
export const DraftOp = z.discriminatedUnion("op", [
  z.object({ op: z.literal("put"), id: uid(), shape: DraftShape }),
  z.object({ op: z.literal("drop"), id: uid() }),
  z.object({ op: z.literal("place"), id: uid(), position: z.number() }),
]);
export type DraftOp = z.output<typeof DraftOp>;

const token = z.string().regex(/^[0-9a-f]{64}$/, { error: "This is no lease." });

/** The lease that its holder got when the task was given out. */
export const LeaseToken = token;

/**
 * Changes of a draft by one client, a tab. `n` numbers the last of `ops` among all that the client ever made to this
 * draft, so that a request which arrives twice changes nothing the second time.
 */
export const SaveDraft = z.object({
  lease: token,
  client: uid(),
  n: z.int().min(0),
  base: z.int().min(0).describe("The version of the draft that the changes were made to."),
  ops: list(DraftOp, draftLimits.ops).refine((ops) => ops.every((op) => op.op !== "put" || op.shape.id === op.id), {
    error: "A shape is put at its own id.",
  }),
  seconds: z.int().min(0).max(3_600).default(0).describe("Seconds of work since the last save."),
});
export type SaveDraft = z.output<typeof SaveDraft>;
