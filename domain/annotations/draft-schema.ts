import { z } from "zod";
import { choice, jsonObject, list, nonBlank, uid } from "@/domain/fields";
import { publishedAs } from "@/domain/published";
import { HeldTask, NextTask } from "@/domain/tasks/labelling-schema";
import { annotationCoordinates } from "@/domain/tasks/schema";
import { checkNames } from "./check-names";

const types = ["bbox", "polygon", "polyline", "keypoints", "mask", "cuboid", "classification"] as const;

const own = {
  id: uid(),
  label_id: nonBlank(64).describe("The `id` of a label of the project."),
  position: z.number().describe("Its place among the shapes of the draft, the lowest first."),
};
const shape = <T extends (typeof types)[number]>(type: T) =>
  z.object({
    ...own,
    type: z.literal(type),
    coordinates: annotationCoordinates[type],
    attributes: jsonObject().default({}),
  });

/** A mark while it is edited. Its id stays the same through drafts, results and exports. */
export const DraftShape = publishedAs(
  z.discriminatedUnion("type", [
    shape("bbox"),
    shape("polygon"),
    shape("polyline"),
    shape("keypoints"),
    shape("mask"),
    shape("cuboid"),
    shape("classification"),
  ]),
  // The coordinates of each type are published with those of annotations.
  z.object({
    ...own,
    type: z.enum(types),
    coordinates: z.looseObject({}).describe("As in annotations of this type."),
    attributes: jsonObject().optional(),
  }),
);
export type DraftShape = z.output<typeof DraftShape>;

/** A change of a draft: a whole shape, new or in place of the one with its id; one less; or another place in the order. */
export const DraftOp = z.discriminatedUnion("op", [
  z.object({ op: z.literal("put"), id: uid(), shape: DraftShape }),
  z.object({ op: z.literal("drop"), id: uid() }),
  z.object({ op: z.literal("place"), id: uid(), position: z.number() }),
]);
export type DraftOp = z.output<typeof DraftOp>;

/** The limits of a draft; its bytes are those of a result. */
export const draftLimits = { shapes: 10_000, bytes: 8 * 1024 * 1024, ops: 500 } as const;

const exampleId = "3f2a5c1e-8b7d-4e6f-9a0b-1c2d3e4f5a6b";
const exampleOp = {
  op: "put",
  id: exampleId,
  shape: {
    id: exampleId,
    label_id: "0",
    type: "bbox",
    coordinates: { x: 310, y: 220, width: 120, height: 80 },
    position: 0,
  },
};

/**
 * Changes of a draft by one client, a tab or a program. `n` numbers the last of `ops` among all that it ever made to this
 * draft, so that a request which arrives twice changes nothing the second time.
 */
export const SaveDraft = z
  .object({
    lease: HeldTask.shape.lease,
    client: uid().describe("Whoever counts in `n`: a tab, a program."),
    n: z.int().min(0).describe("The number of the last change, of all that the client made to this draft."),
    base: z.int().min(0).describe("The version that the changes were made to."),
    ops: list(DraftOp, draftLimits.ops).describe("In their order."),
    seconds: HeldTask.shape.seconds,
  })
  .refine(({ ops }) => ops.every((op) => op.op !== "put" || op.shape.id === op.id), {
    path: ["ops"],
    error: "A shape is put at its own id.",
  })
  .refine(({ n, ops }) => n >= ops.length, { path: ["n"], error: "The first change has the number 1." })
  .meta({ example: { lease: "0".repeat(64), client: exampleId, n: 1, base: 0, ops: [exampleOp] } });
export type SaveDraft = z.output<typeof SaveDraft>;

/** A draft as it was seen when it was submitted. `key` names the submission: one that arrives again is the same. */
export const SubmitDraft = z
  .object({
    lease: HeldTask.shape.lease,
    version: z.int().min(0).describe("That of the draft."),
    key: uid().describe("Made up by the client; the same in a repeated request."),
    ignore: list(choice(checkNames), 20).describe("Checks that do not matter here.").default([]),
  })
  .meta({ example: { lease: "0".repeat(64), version: 1, key: exampleId } });
export type SubmitDraft = z.output<typeof SubmitDraft>;

/** With it, the next task is leased in the same transaction: any, or one of a project. */
export const SubmitAndNext = SubmitDraft.extend({ next: NextTask.optional() });
export type SubmitAndNext = z.output<typeof SubmitAndNext>;
