import type { LabelInput } from "@/domain/projects/label-schema";
import type { taskTypes } from "@/domain/projects/schema";

export type ShapeType = LabelInput["types"][number];
const flat: readonly ShapeType[] = ["bbox", "polygon", "polyline", "keypoints", "mask", "classification"];
const solid: readonly ShapeType[] = ["cuboid", "classification"];

/** The shapes that can be drawn in each kind of task. */
export const shapesOfTask: Readonly<Record<(typeof taskTypes)[number], readonly ShapeType[]>> = {
  "image-annotation": flat,
  "video-annotation": flat,
  "point-cloud-annotation": solid,
  "point-cloud-objects": solid,
};

/** What the shapes are called that a label may have. */
export const shapeTypeLabels: Readonly<Record<ShapeType, string>> = {
  bbox: "box",
  polygon: "polygon",
  polyline: "line",
  keypoints: "points",
  mask: "mask",
  cuboid: "cuboid",
  classification: "tag",
};
