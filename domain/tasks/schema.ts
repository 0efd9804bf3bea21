import { z } from "zod";
import { choices, list, longPage, nonBlank, text, uid } from "@/domain/fields";
import { parseRuns, sumRuns } from "@/domain/masks/run-lengths";
import { timestamp } from "@/domain/time/fields";

export const taskStatuses = ["pending", "in_progress", "completed"] as const;

export const resultStatuses = ["submitted", "accepted", "rejected"] as const;

/** No picture and no place on a map has larger numbers, and products of them stay exact enough. */
const number = z.number().refine((value) => Math.abs(value) <= 1e7, {
  error: "Ensure this value is between -10,000,000 and 10,000,000.",
});
const maxPoints = 10_000;
const points = z.array(z.tuple([number, number])).max(maxPoints);
const holes = z.array(points.min(3)).max(maxPoints).describe("Rings inside that are not part of it.").optional();
interface Rings {
  points: readonly unknown[];
  holes?: readonly (readonly unknown[])[] | undefined;
}
const hasFewPoints = (rings: Rings) =>
  (rings.holes ?? []).reduce((count, hole) => count + hole.length, rings.points.length) <= maxPoints;
const fewPoints = { path: ["holes"], error: "Ensure that there are at most 10,000 points, with those of holes." };
const frame = { frame: z.int().min(0).optional() };
const vector = z.union([z.tuple([number, number, number]), z.object({ x: number, y: number, z: number })]);
const quaternion = z.union([
  z.tuple([number, number, number, number]),
  z.object({ x: number, y: number, z: number, w: number }),
]);

/** Of each point: 0 absent, 1 hidden, 2 seen. */
const visibility = z.array(z.union([z.literal(0), z.literal(1), z.literal(2)])).optional();
const isOfEachPoint = (coordinates: { points: readonly unknown[]; visibility?: readonly unknown[] | undefined }) =>
  coordinates.visibility === undefined || coordinates.visibility.length === coordinates.points.length;
const ofEachPoint = { path: ["visibility"], error: "Give one visibility for each point." };

/** The side of the largest picture that a mask can be of. */
const maxSide = 100_000;
const side = z.int().min(1).max(maxSide);
const offset = z.int().min(0).max(maxSide);

/** The pixels of such a picture, whose masks can be drawn and exported without much memory. */
const maxMaskPixels = 2 ** 28;

/** Pixels of a picture, as COCO's programs write them, but of the box around them alone. */
const mask = z
  .looseObject({
    size: z.tuple([side, side]).describe("Height and width of the picture."),
    box: z.tuple([offset, offset, side, side]).describe("Left, top, width and height, in whole pixels."),
    counts: z
      .string()
      .max(2 * 1024 * 1024)
      .describe("COCO's run lengths of the box as text: columns from the left, each from its top, outside first."),
    ...frame,
  })
  .superRefine(({ size: [height, width], box: [left, top, across, down], counts }, context) => {
    if (left + across > width || top + down > height)
      context.addIssue({ code: "custom", path: ["box"], message: "Ensure that the box is within the size." });
    if (width * height > maxMaskPixels) {
      const message = `Ensure that the picture has at most ${maxMaskPixels} pixels.`;
      context.addIssue({ code: "custom", path: ["size"], message });
    }
    const runs = parseRuns(counts);
    if (!runs) context.addIssue({ code: "custom", path: ["counts"], message: "These are no run lengths of COCO." });
    else if (sumRuns(runs) !== across * down)
      context.addIssue({ code: "custom", path: ["counts"], message: "Ensure that the runs fill the box." });
  });

/** What each type of annotation marks: pixels from the top left, or metres and a quaternion. */
export const annotationCoordinates = {
  bbox: z.looseObject({
    x: number,
    y: number,
    width: number.min(0),
    height: number.min(0),
    rotation: z.number().min(0).lt(360).describe("Degrees clockwise about its center; 0 if absent.").optional(),
    ...frame,
  }),
  polygon: z.looseObject({ points: points.min(3), holes, ...frame }).refine(hasFewPoints, fewPoints),
  polyline: z.looseObject({ points: points.min(2), visibility, ...frame }).refine(isOfEachPoint, ofEachPoint),
  keypoints: z.looseObject({ points: points.min(1), visibility, ...frame }).refine(isOfEachPoint, ofEachPoint),
  mask,
  cuboid: z.looseObject({ center: vector, size: vector, rotation: quaternion, ...frame }),
  classification: z.looseObject({ ...frame }),
};
type AnnotationType = keyof typeof annotationCoordinates;

const annotation = <T extends AnnotationType>(type: T) =>
  z.object({
    label: nonBlank(100),
    type: z.literal(type),
    coordinates: annotationCoordinates[type],
    attributes: z.record(z.string(), z.unknown()).default({}),
  });

export const BoxAnnotation = annotation("bbox");
export const PolygonAnnotation = annotation("polygon");
export const PolylineAnnotation = annotation("polyline");
export const KeypointsAnnotation = annotation("keypoints");
export const MaskAnnotation = annotation("mask");
export const CuboidAnnotation = annotation("cuboid");
export const ClassificationAnnotation = annotation("classification");

/** One annotation of an item. Members inside lists have their wire names. */
export const Annotation = z.discriminatedUnion("type", [
  BoxAnnotation,
  PolygonAnnotation,
  PolylineAnnotation,
  KeypointsAnnotation,
  MaskAnnotation,
  CuboidAnnotation,
  ClassificationAnnotation,
]);
export type Annotation = z.output<typeof Annotation>;

/** An annotation as results and events contain it. */
export const StoredAnnotation = z.object({
  label: z.string(),
  type: z.string(),
  coordinates: z.record(z.string(), z.unknown()),
  attributes: z.record(z.string(), z.unknown()),
});
export type StoredAnnotation = z.output<typeof StoredAnnotation>;

export const SubmitResult = z.object({
  annotations: list(Annotation, 10_000),
});
export type SubmitResult = z.output<typeof SubmitResult>;

export const DecideResult = z.object({ reason: text(2_048).optional() });
export type DecideResult = z.output<typeof DecideResult>;

/** The assignee: the uid or username of a member, null to unassign. */
export const UpdateTask = z.object({ assignee: text(255).nullable().optional() });
export type UpdateTask = z.output<typeof UpdateTask>;

export const TaskFilters = z.object({
  project: text().optional(),
  status: choices(taskStatuses).optional(),
  /** Additive filters. */
  work_batch: text().optional(),
  ...longPage(),
});
export type TaskFilters = z.output<typeof TaskFilters>;

export const ResultFilters = z.object({ status: choices(resultStatuses).optional(), ...longPage() });
export type ResultFilters = z.output<typeof ResultFilters>;

export const WorkBatchFilters = z.object({ project: text().optional(), ...longPage() });
export type WorkBatchFilters = z.output<typeof WorkBatchFilters>;

/** What is set stays as it is where it is left out; null takes it back. */
export const UpdateWorkBatch = z.object({
  assignee: text(255).nullable().describe("Who gets its tasks that nobody has begun: a username or uid.").optional(),
  due: timestamp().nullable().describe("When it has to be done.").optional(),
});
export type UpdateWorkBatch = z.output<typeof UpdateWorkBatch>;

export const decisions = ["accept", "reject"] as const;
export type Decision = (typeof decisions)[number];

export const TaskUid = z.object({ uid: uid() });
