import { expect, test } from "vitest";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { getOfferedScore, isOffered, ownOps, takeOffered } from "@/domain/annotations/pre-label";

const id = "018f0000-0000-7000-8000-000000000001";
const offered: DraftShape = {
  id,
  label_id: "0",
  type: "bbox",
  coordinates: { x: 1, y: 2, width: 3, height: 4 },
  attributes: { source: "model", run: "r", score: 0.9, load: "full" },
  position: 0,
};
const put = (shape: DraftShape) => ({ op: "put" as const, id: shape.id, shape });
const draft = new Map([[id, offered]]);

test("what a model put there is only offered until somebody takes it; then it still names its run", () => {
  const taken = takeOffered(offered);
  expect([isOffered(offered), getOfferedScore(offered), isOffered(taken)]).toEqual([true, 0.9, false]);
  expect(taken.attributes).toEqual({ source: "model", run: "r", load: "full" });
  const unsure = { ...offered, attributes: { source: "model", run: "r", score: null } };
  expect([isOffered(unsure), getOfferedScore(unsure)]).toEqual([true, null]);
  expect(isOffered({ attributes: { score: 0.9 } })).toBe(false);
  expect(ownOps(draft, [put(taken)])).toEqual([put(taken)]);
});

test.each([
  ["moved", { ...offered, coordinates: { ...offered.coordinates, x: 2 } }],
  ["given another label", { ...offered, label_id: "1" }],
  ["given another attribute", { ...offered, attributes: { ...offered.attributes, load: "empty" } }],
  [
    "moved by a tool that says so",
    {
      ...offered,
      coordinates: { x: 9, y: 2, width: 3, height: 4 },
      attributes: { ...offered.attributes, source: "model_edited" },
    },
  ],
  ["taken and moved", { ...takeOffered(offered), coordinates: { x: 9, y: 2, width: 3, height: 4 } } as DraftShape],
])("one that is %s belongs to the person, and names no run", (_, shape) => {
  const [op] = ownOps(draft, [put(shape as DraftShape)]);
  const { load } = shape.attributes;
  expect(op).toMatchObject({ shape: { attributes: { source: "model_edited", load } } });
  expect(Object.keys(op?.op === "put" ? op.shape.attributes : {}).toSorted()).toEqual(["load", "source"]);
});

test("its place among others and its group change nothing of where it comes from; a copy is the person's own", () => {
  const grouped = { ...offered, position: 4, attributes: { ...offered.attributes, group: "g" } };
  expect(ownOps(draft, [put(grouped)])).toEqual([put(grouped)]);
  const copy = { ...offered, id: "018f0000-0000-7000-8000-000000000002" };
  expect(ownOps(draft, [put(copy)])).toEqual([put({ ...copy, attributes: { load: "full" } })]);
  const drop = { op: "drop" as const, id };
  expect(ownOps(draft, [drop])).toEqual([drop]);
});
