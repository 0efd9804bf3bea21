import type { DraftOp, DraftShape } from "./draft-schema";

export type ShapeType = DraftShape["type"];

/** A draft by the ids of its shapes. */
export type DraftShapes = ReadonlyMap<string, DraftShape>;

/** The draft after changes. What places or drops a shape that is not there changes nothing. */
export function applyOps(shapes: DraftShapes, ops: readonly DraftOp[]): DraftShapes {
  const next = new Map(shapes);
  for (const op of ops) {
    const before = next.get(op.id);
    if (op.op === "put") next.set(op.id, op.shape);
    else if (op.op === "drop") next.delete(op.id);
    else if (before) next.set(op.id, { ...before, position: op.position });
  }
  return next;
}

/** The changes that take those back which lead from `shapes` to the draft after `ops`. */
export function invertOps(shapes: DraftShapes, ops: readonly DraftOp[]): DraftOp[] {
  const touched = new Set(ops.map(({ id }) => id));
  return Array.from(touched, (id): DraftOp => {
    const shape = shapes.get(id);
    return shape ? { op: "put", id, shape } : { op: "drop", id };
  });
}

/** Shapes from the lowest to the topmost; those of equal position by id, so that everybody sees the same order. */
export const listByPosition = (shapes: Iterable<DraftShape>): DraftShape[] =>
  [...shapes].toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
