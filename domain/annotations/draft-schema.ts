import { z } from "zod";
import { jsonObject, nonBlank, uid } from "@/domain/fields";
import { annotationCoordinates } from "@/domain/tasks/schema";

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
