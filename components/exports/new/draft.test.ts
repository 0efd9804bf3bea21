import { expect, test } from "vitest";
import { hasSources, listChosen, toSelection, withoutSource, withSource, type Draft, type Source } from "./draft";

const empty: Draft = {
  datasets: [],
  slices: [],
  projects: [],
  filter_query_string: "",
  results: "accepted",
  format: "YOLO",
  name: null,
  storage_config_uid: null,
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

test("the name, the format and the place change nothing about the preview", () => {
  const named = { ...empty, name: "x", format: "avala-json-external" as const, storage_config_uid: "y" };
  expect(toSelection(named)).toEqual(toSelection(empty));
});
