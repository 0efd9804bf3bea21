import fc from "fast-check";
import { expect, test } from "vitest";
import { areTouching, toBounds } from "@/domain/annotations/geometry";
import { GridIndex } from "./grid-index";

const at = fc.integer({ min: -200, max: 6_000 });
const side = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 9_000 }));
const bounds = fc.record({ x: at, y: at, width: side, height: side }).map(toBounds);
const change = fc.tuple(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.option(bounds));

test("the index finds exactly the shapes whose bounds touch, after any changes, of any size", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), bounds, (changes, wanted) => {
      const index = new GridIndex();
      for (const [id, of] of changes) index.set(id, of);
      const now = new Map(changes);
      const expected = [...now].flatMap(([id, of]) => (of && areTouching(of, wanted) ? [id] : []));
      expect(index.find(wanted).toSorted()).toEqual(expected.toSorted());
      for (const [id, of] of now) expect(index.get(id)).toEqual(of);
    }),
  );
});
