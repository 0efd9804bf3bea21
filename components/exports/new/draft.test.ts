import { expect, test } from "vitest";
import {
  findSplitFault,
  hasSources,
  listChosen,
  toOrder,
  toSelection,
  toSplit,
  withoutSource,
  withSource,
  type Draft,
  type Source,
} from "./draft";
import { findFault } from "./use-export-preview";
import type { Preview } from "./use-export-preview";

const empty: Draft = {
  datasets: [],
  slices: [],
  projects: [],
  filter_query_string: "",
  results: "accepted",
  format: "YOLO",
  name: null,
  storage_config_uid: null,
  val: 20,
  test: 0,
  background: false,
};
const yard: Source = { kind: "dataset", uid: "a", name: "Yard", count: 3, dataset: null, datasets: ["a"] };

test("a source is added once, by its kind, and removed", () => {
  const once = { ...empty, ...withSource(empty, yard) };
  expect([once.datasets, withSource(once, yard).datasets]).toEqual([["a"], ["a"]]);
  expect([hasSources(empty), hasSources(once)]).toEqual([false, true]);
  expect(withoutSource(once, yard)).toEqual({ datasets: [] });
});

test("chosen sources that are not known any more are still listed, so that they can be removed", () => {
  const draft = { ...empty, datasets: ["a"], projects: ["gone"] };
  expect(listChosen(draft, [yard])).toEqual([
    { kind: "dataset", uid: "a", source: yard },
    { kind: "project", uid: "gone", source: undefined },
  ]);
});

test("the name and the place change nothing about the preview, and the format only where it is divided", () => {
  const json = { ...empty, format: "avala-json-external" as const };
  expect(toSelection({ ...json, name: "x", storage_config_uid: "y" })).toEqual(toSelection(json));
  expect(toSelection(json)).not.toHaveProperty("format");
  expect(toSelection({ ...empty, format: "YOLO-pose" }).format).toBe("YOLO-pose");
});

test("training has what validation and test leave, and at least something", () => {
  expect(toSplit({ val: 33.3, test: 10 })).toEqual({ train: 0.567, val: 0.333, test: 0.1 });
  expect(
    [
      { val: 20, test: 0 },
      { val: 0, test: 0 },
    ].map(findSplitFault),
  ).toEqual([null, null]);
  expect(
    [
      { val: 80, test: 20 },
      { val: -1, test: 0 },
    ].map(findSplitFault),
  ).toEqual(["Nothing would be left for training.", "A part has at least 0 %."]);
});

test("parts and backgrounds are ordered of training sets only", () => {
  const draft = { ...empty, background: true };
  expect(toOrder(draft, "x")).toMatchObject({ split: { train: 0.8, val: 0.2, test: 0 }, background: true });
  const json = Object.keys(toOrder({ ...draft, format: "avala-json-external" }, "x"));
  expect(json.filter((member) => member === "split" || member === "background")).toEqual([]);
  const coco = toOrder({ ...draft, format: "COCO" }, "x");
  expect([coco.split, coco.background]).toEqual([undefined, true]);
});

test("an export that would hold nothing says why it cannot be ordered, once all is counted", () => {
  const losses = [{ what: "unlabelled_dropped" as const, count: 3 }];
  const preview: Preview = {
    count: 3,
    without_accepted: 3,
    examined: 3,
    labels: [],
    formats: [
      { format: "avala-json-external", items: 3, refusal: null, losses: [], split: null, first: [] },
      {
        format: "YOLO",
        items: 0,
        refusal: null,
        losses,
        split: { by: "nothing", train: 0, val: 0, test: 0 },
        first: [],
      },
      { format: "YOLO-pose", items: 3, refusal: "Skeletons differ.", losses: [], split: null, first: [] },
    ],
  };
  expect(findFault(empty, preview)).toBe("There is nothing to export: 3 pictures have no result.");
  expect(findFault({ ...empty, format: "avala-json-external" }, preview)).toBeNull();
  expect(findFault(empty, { ...preview, examined: 2 })).toBeNull();
  expect(findFault({ ...empty, format: "YOLO-pose" }, { ...preview, examined: 2 })).toBe("Skeletons differ.");
  expect(findFault({ ...empty, val: 100 }, undefined)).toBe("Nothing would be left for training.");
});
