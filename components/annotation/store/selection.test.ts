import { expect, test } from "vitest";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, listByPosition } from "@/domain/annotations/draft-shape";
import { makeBox, makeLabel, makePolygon, picture } from "../testing/drafts-of-tests";
import { addStep, maxSteps, noHistory } from "./history";
import { copyShapes, findNext, nudge, regroup, relabel, reorder, stretch } from "./selection";

const shapes = [
  makeBox("a", [0, 0, 100, 100], { position: 1 }),
  makeBox("b", [900, 700, 100, 100], { position: 2 }),
  makeBox("c", [10, 10, 10, 10], { position: 3 }),
];
const [, b] = shapes;
const map = new Map(shapes.map((shape) => [shape.id, shape]));
let count = 0;
const means = { picture, top: 4, createId: () => `new-${++count}` };
const after = (ops: readonly DraftOp[]): DraftShape[] => listByPosition(applyOps(map, ops).values());
const find = (ops: readonly DraftOp[], id: string) => after(ops).find((shape) => shape.id === id);

test("arrows move and stretch shapes within the picture", () => {
  const [first] = shapes;
  if (!first || !b) throw new Error("no shapes");
  expect(find(nudge([first], [-1, 10], picture), "a")?.coordinates).toMatchObject({ x: 0, y: 10, width: 100 });
  expect(find(stretch([first], [-500, 10], picture), "a")?.coordinates).toMatchObject({ width: 1, height: 110 });
  expect(find(stretch([b], [10, 10], picture), "b")?.coordinates).toMatchObject({ width: 100, height: 100 });
});

test("copies have ids of their own, lie inside the picture and above all, and are a group if they were", () => {
  const grouped = shapes.map((shape) => ({ ...shape, attributes: { group: "g", source: "model" } }));
  const copies = copyShapes(grouped, [10, 10], means);
  expect(new Set([...copies.map(({ id }) => id), "a", "b", "c"]).size).toBe(6);
  expect(copies.map(({ position }) => position)).toEqual([4, 5, 6]);
  expect(copies[1]?.coordinates).toMatchObject({ x: 900, y: 700 });
  const groups = new Set(copies.map(({ attributes }) => attributes["group"]));
  expect(groups.size).toBe(1);
  expect(groups.has("g")).toBe(false);
  expect(copies[0]?.attributes["source"]).toBe("human");
});

test("a label is given only to shapes whose type it may have", () => {
  const line = makePolygon("p", [
    [0, 0],
    [1, 0],
    [1, 1],
  ]);
  const boxes = makeLabel("pallet", { types: ["bbox"] });
  expect(relabel([...shapes, line], boxes).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(relabel(shapes, makeLabel("forklift"))).toEqual([]);
  expect(relabel(shapes, makeLabel("pallet", { retired: true }))).toEqual([]);
});

test("a group is made of two or more, and taken apart by the same key", () => {
  const grouped = after(regroup(shapes, means.createId));
  expect(new Set(grouped.map(({ attributes }) => attributes["group"])).size).toBe(1);
  expect(regroup(grouped, means.createId).every((op) => op.op === "put" && !("group" in op.shape.attributes))).toBe(
    true,
  );
  expect(regroup(shapes.slice(0, 1), means.createId)).toEqual([]);
});

test("a shape goes one place up or down in the order, and no further than the end", () => {
  const order = (ops: readonly DraftOp[]) =>
    after(ops)
      .map(({ id }) => id)
      .join("");
  expect(order(reorder(shapes, "a", true))).toBe("bac");
  expect(order(reorder(shapes, "b", true))).toBe("acb");
  expect(order(reorder(shapes, "b", false))).toBe("bac");
  expect(order(reorder(shapes, "c", false))).toBe("acb");
  expect(reorder(shapes, "c", true)).toEqual([]);
});

test("the next shape comes in order, and none after the last", () => {
  expect([null, "a", "b", "c"].map((id) => findNext(shapes, id, true))).toEqual(["a", "b", "c", null]);
  expect([null, "a", "b", "c"].map((id) => findNext(shapes, id, false))).toEqual(["c", null, "a", "b"]);
});

test("of changes the last 200 can be taken back, and a new one ends what could come again", () => {
  let history = noHistory;
  for (let at = 0; at < maxSteps + 5; at++) history = addStep(history, { undo: [], redo: [] });
  expect(history.steps).toHaveLength(maxSteps);
  history = addStep({ ...history, done: 3 }, { undo: [], redo: [] });
  expect(history.steps.map(({ n }) => n)).toEqual([6, 7, 8, 9]);
  expect(history.done).toBe(4);
});
