import fc from "fast-check";
import { expect, test } from "vitest";
import type { DraftOp, DraftShape } from "./draft-schema";
import { applyOps, invertOps, listByPosition } from "./draft-shape";

const ids = ["a", "b", "c", "d", "e"];
const id = fc.constantFrom(...ids);
const makeBox = (of: string, x: number, position: number): DraftShape => ({
  id: of,
  label_id: "forklift",
  type: "bbox",
  coordinates: { x, y: 0, width: 10, height: 10 },
  attributes: {},
  position,
});
const position = fc.integer({ min: 0, max: 9 });
const op: fc.Arbitrary<DraftOp> = fc.oneof(
  fc.tuple(id, fc.nat(99), position).map(([of, x, at]): DraftOp => ({ op: "put", id: of, shape: makeBox(of, x, at) })),
  id.map((of): DraftOp => ({ op: "drop", id: of })),
  fc.tuple(id, position).map(([of, at]): DraftOp => ({ op: "place", id: of, position: at })),
);
const ops = fc.array(op, { maxLength: 12 });
const list = (shapes: Iterable<[string, DraftShape]>) => new Map([...shapes].toSorted());

test("changes that are taken back leave the draft as it was", () => {
  fc.assert(
    fc.property(ops, ops, (before, some) => {
      const shapes = applyOps(new Map(), before);
      const changed = applyOps(shapes, some);
      expect(list(applyOps(changed, invertOps(shapes, some)))).toEqual(list(shapes));
    }),
  );
});

test("changes that are repeated change nothing", () => {
  fc.assert(
    fc.property(ops, ops, (before, some) => {
      const once = applyOps(applyOps(new Map(), before), some);
      const last = some.filter((each, at) => some.findLastIndex((other) => other.id === each.id) === at);
      expect(list(applyOps(once, last))).toEqual(list(once));
    }),
  );
});

test("shapes are in the order of their positions, those of the same one by id", () => {
  const listed = listByPosition([makeBox("b", 0, 1), makeBox("c", 0, 0), makeBox("a", 0, 1)]);
  expect(listed.map((shape) => shape.id)).toEqual(["c", "a", "b"]);
});
