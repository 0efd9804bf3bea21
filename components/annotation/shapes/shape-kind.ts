import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { ShapeType } from "@/domain/annotations/draft-shape";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Bounds, Outline, Point } from "@/domain/annotations/geometry";

export type ShapeByType<T extends ShapeType> = Extract<DraftShape, { type: T }>;

/** A place by which a shape is changed. */
interface Handle {
  at: Point;
  /** What it is, for people who do not see it: "top left", "point 3". */
  name: string;
  /** Where the line to it begins, of one that turns the shape from outside of it. */
  stem?: Point;
}

/** What is drawn of a shape. */
interface ShapeDrawing {
  outlines: readonly Outline[];
  /** Points that are marks themselves; hollow ones are hidden behind something. */
  dots: readonly { at: Point; isHollow: boolean }[];
  /** How opaque its area is; as usual where it is left out. */
  tint?: number;
}

/**
 * What the editor knows of a type of shapes. `reach` is how far from a line a pointer still touches it. What moves, resizes
 * and adds returns a new shape, and null where that is not possible.
 */
export interface ShapeKind<S extends DraftShape = DraftShape> {
  /** "Box". */
  name: string;
  /** Null: it marks no place of the picture. */
  bound(shape: S): Bounds | null;
  draw(shape: S, label: EditorLabel | undefined): ShapeDrawing;
  /** Whether a place is on its line or points, or only inside of it. */
  hit(shape: S, at: Point, reach: number, label: EditorLabel | undefined): "line" | "inside" | null;
  /** In square pixels; null where it has none. */
  measure(shape: S): number | null;
  /** The lines around its area and around holes in it; none for what has no area. */
  rings(shape: S): readonly (readonly Point[])[];
  /** Where it lies, in whole pixels: "120 by 80 at 310, 220". */
  describe(shape: S): string;
  handles(shape: S, label: EditorLabel | undefined, reach: number): readonly Handle[];
  /** With `isSnapping`, one that turns does so by steps. */
  moveHandle(shape: S, handle: number, to: Point, isSnapping?: boolean): S;
  /** One point more at the place of its line that is nearest. */
  addPoint(shape: S, at: Point, reach: number): S | null;
  removePoint(shape: S, handle: number): S | null;
  move(shape: S, by: Point): S;
  resize(shape: S, to: Bounds): S;
}
