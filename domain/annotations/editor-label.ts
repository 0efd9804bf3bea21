import type { ShapeType } from "./draft-shape";

/** What is asked about each shape of a label. */
export interface LabelAttribute {
  key: string;
  name: string;
  kind: "select" | "multi" | "boolean" | "number" | "text";
  options: readonly string[];
  required: boolean;
}

/** A label of a project as the editor needs it. */
export interface EditorLabel {
  id: string;
  name: string;
  /** #rrggbb. */
  color: string;
  /** The shapes that it may have; none: all. */
  types: readonly string[];
  /** The key that chooses it, where people gave it one of its own. */
  key?: string | null | undefined;
  attributes: readonly LabelAttribute[];
  /** The names of the points of its skeleton, in order; none where points are free. */
  points: readonly string[];
  /** Pairs of indexes of points. */
  edges: readonly (readonly [number, number])[];
  description: string;
  retired: boolean;
}

/** Whether new shapes of a type may have the label. */
export const mayHold = (label: EditorLabel, type: ShapeType): boolean =>
  !label.retired && (label.types.length === 0 || label.types.includes(type));

/** Whether an attribute has no value: false and 0 are values. */
export const isUnanswered = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
