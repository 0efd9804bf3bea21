import type { DraftOp, DraftShape } from "./draft-schema";
import type { DraftShapes } from "./draft-shape";

/*
 * What a model put into a draft has the source `model` and names its run. Until somebody takes it, it also has `score`, null where
 * the model gives none: then it is only offered, and is left out of the result. Whoever changes it makes it their own.
 */

/** Whether a shape was put there by a model and nobody has taken it yet. */
export const isOffered = ({ attributes }: Pick<DraftShape, "attributes">): boolean =>
  attributes["source"] === "model" && "score" in attributes;

/** How sure the model was of a shape that is offered; null where it does not say. */
export const getOfferedScore = ({ attributes: { score } }: Pick<DraftShape, "attributes">): number | null =>
  typeof score === "number" ? score : null;

/** The shape once somebody takes it as it is. */
export function takeOffered(shape: DraftShape): DraftShape {
  const { score: _, ...attributes } = shape.attributes;
  return { ...shape, attributes };
}

/** Attributes that say where a shape comes from and how it lies among others, and nothing about what it marks. */
const beside = new Set(["source", "run", "score", "group", "order"]);
const describeMark = ({ label_id, type, coordinates, attributes }: DraftShape): string =>
  JSON.stringify([
    label_id,
    type,
    coordinates,
    Object.entries(attributes)
      .filter(([key]) => !beside.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/** A shape of a model that a person changed, or copied: it is theirs, and names no run. */
function own(shape: DraftShape, source: string | null): DraftShape {
  const { source: _source, run: _run, score: _score, ...attributes } = shape.attributes;
  return { ...shape, attributes: source === null ? attributes : { ...attributes, source } };
}

/** Changes as a person makes them: what they alter of a model's shape becomes `model_edited`, and a copy of one is their own. */
export const ownOps = (shapes: DraftShapes, ops: readonly DraftOp[]): readonly DraftOp[] =>
  ops.map((op) => {
    if (op.op !== "put") return op;
    const before = shapes.get(op.id);
    if (!before) return op.shape.attributes["source"] === "model" ? { ...op, shape: own(op.shape, null) } : op;
    if (before.attributes["source"] !== "model" || describeMark(before) === describeMark(op.shape)) return op;
    return { ...op, shape: own(op.shape, "model_edited") };
  });
