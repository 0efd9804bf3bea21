import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { ShapeType } from "@/domain/annotations/draft-shape";
import { findSnap, moveInto, type Point } from "@/domain/annotations/geometry";
import type { ShapeByType } from "../shapes/shape-kind";
import { getKind } from "../shapes/shape-kinds";
import type { ToolContext, ToolStep } from "./tool";

/** Pixels of the picture for one of a pointer's reach. */
const snapShare = 1;

/** A place inside the picture; with Shift on a point or an edge of another shape, if one is near. */
export function placePoint(at: Point, isSnapping: boolean | undefined, context: ToolContext): Point {
  const inside = moveInto(at, context.picture);
  if (!isSnapping) return inside;
  const within = context.reach * snapShare;
  const [x, y] = inside;
  const near = context.near({ left: x - within, top: y - within, right: x + within, bottom: y + within });
  const outlines = near.flatMap((shape) => [...getKind(shape).draw(shape, context.getLabel(shape.label_id)).outlines]);
  return findSnap(inside, outlines, within) ?? inside;
}

/** What every new shape has, besides its coordinates. */
export const makeShape = <T extends ShapeType>(
  type: T,
  coordinates: ShapeByType<T>["coordinates"],
  { label, createId, top }: ToolContext,
) => ({ id: createId(), label_id: label?.id ?? "", type, coordinates, attributes: { source: "human" }, position: top });

/** The step that finishes a shape: it is put into the draft and selected. */
export const finish = <State>(state: State, shape: DraftShape, { label }: ToolContext): ToolStep<State> => ({
  state,
  ops: [{ op: "put", id: shape.id, shape }],
  selected: [shape.id],
  say: `${getKind(shape).name}, ${label?.name ?? "no label"}, ${getKind(shape).describe(shape)} added`,
});
