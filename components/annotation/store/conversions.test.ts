import fc from "fast-check";
import { expect, test } from "vitest";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { overlapRegions, toRegion } from "@/domain/annotations/region";
import { Annotation } from "@/domain/tasks/schema";
import { getKind } from "../shapes/shape-kinds";
import { makeBox, makeLabel, makeMask, makePolygon, makeSquare, picture } from "../testing/drafts-of-tests";
import { convert, listConversions } from "./conversions";

let count = 0;
const means = { picture, createId: () => `new-${++count}` };
const change = (shape: DraftShape, type: "bbox" | "polygon" | "mask", label = makeLabel("forklift")): DraftShape[] =>
  convert(shape, type, label, means).flatMap((op) => (op.op === "put" ? op.shape : []));

const box = makeBox("a", [10, 20, 100, 50], { attributes: { source: "model", load: "pallet" } });
const holed: DraftShape = {
  ...makePolygon("p", makeSquare(0, 100)),
  type: "polygon",
  coordinates: { points: makeSquare(0, 100), holes: [makeSquare(20, 60)] },
};

test("a box becomes a polygon, a mask and a box again, and keeps its id, label and answers", () => {
  const [polygon] = change(box, "polygon");
  const [mask] = polygon ? change(polygon, "mask") : [];
  const [back] = mask ? change(mask, "bbox") : [];
  expect(polygon?.coordinates["points"]).toHaveLength(4);
  expect(mask?.coordinates).toMatchObject({ size: [800, 1_000], box: [10, 20, 100, 50] });
  expect(back).toEqual({ ...box, attributes: { source: "model_edited", load: "pallet" } });
});

test("a polygon with a hole becomes a mask with it, and a polygon with it again", () => {
  const [mask] = change(holed, "mask");
  expect(mask && getKind(mask).measure(mask)).toBe(100 * 100 - 40 * 40);
  const [polygon] = mask ? change(mask, "polygon") : [];
  expect(
    polygon &&
      getKind(polygon)
        .rings(polygon)
        .map((ring) => ring.length),
  ).toEqual([4, 4]);
  expect(polygon && getKind(polygon).measure(polygon)).toBe(100 * 100 - 40 * 40);
});

test("a mask of several parts becomes a group of polygons, the largest of which is the same shape", () => {
  const polygons = change(makeMask("m", [makeSquare(0, 10), makeSquare(50, 90)]), "polygon");
  expect(polygons.map((each) => getKind(each).measure(each))).toEqual([1_600, 100]);
  expect(polygons[0]?.id).toBe("m");
  expect(new Set(polygons.map(({ attributes }) => attributes["group"])).size).toBe(1);
});

test("only what the label may have is offered, of areas only, and nothing is made of what has no pixel", () => {
  expect(listConversions(box, makeLabel("forklift", { types: ["bbox", "mask"] }))).toEqual(["mask"]);
  expect(listConversions(box, undefined)).toEqual(["polygon", "mask"]);
  const { id, label_id, position } = box;
  const line = [
    [0, 0],
    [9, 9],
  ] as [number, number][];
  expect(
    listConversions(
      { id, label_id, position, attributes: {}, type: "polyline", coordinates: { points: line } },
      undefined,
    ),
  ).toEqual([]);
  expect(change(box, "mask", makeLabel("forklift", { types: ["bbox"] }))).toEqual([]);
  expect(change(makeBox("a", [10.1, 10.1, 0.2, 0.2]), "mask")).toEqual([]);
});

test("what a mask becomes lies where it lay, and is a valid annotation", () => {
  const at = fc.integer({ min: 100, max: 500 });
  const ring = fc.array(fc.tuple(at, at), { minLength: 3, maxLength: 9 });
  fc.assert(
    fc.property(ring, (points) => {
      const [mask] = change(makePolygon("p", points), "mask");
      fc.pre(mask !== undefined && (getKind(mask).measure(mask) ?? 0) > 2_000);
      if (!mask) return;
      for (const type of ["polygon", "bbox"] as const)
        for (const shape of change(mask, type))
          expect(Annotation.safeParse({ ...shape, label: "a" }).success).toBe(true);
      const [largest, ...others] = change(mask, "polygon");
      const [a, b] = [toRegion(mask), largest && toRegion(largest)];
      if (a && b && others.length === 0) expect(overlapRegions(a, b)).toBeGreaterThan(0.9);
    }),
    { numRuns: 60 },
  );
});
