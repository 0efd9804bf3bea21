import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { ShapeType } from "@/domain/annotations/draft-shape";
import { bbox } from "./bbox";
import { keypoints } from "./keypoints";
import { mask } from "./mask";
import { classification, cuboid } from "./placeless";
import { polygon, polyline } from "./point-kind";
import type { ShapeByType, ShapeKind } from "./shape-kind";

const shapeKinds: { [T in ShapeType]: ShapeKind<ShapeByType<T>> } = {
  bbox,
  polygon,
  polyline,
  keypoints,
  mask,
  cuboid,
  classification,
};

/** What the editor knows of a shape's type. */
export const getKind = (shape: { type: DraftShape["type"] }): ShapeKind => shapeKinds[shape.type];
