import { expect, test } from "vitest";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { completeLabels, type Label } from "@/domain/projects/label-schema";
import { findChecks } from "./checks";
import type { DraftShape } from "./draft-schema";
import type { EditorLabel } from "./editor-label";

/** The labels of a project are what the editor takes. */
const toEditorLabel = (each: Label): EditorLabel => each;
const picture = { width: 1_000, height: 800 };
const label = (id: string, members: Partial<EditorLabel> = {}): EditorLabel => ({
  id,
  name: id,
  color: "#0891b2",
  types: [],
  attributes: [],
  points: [],
  edges: [],
  description: "",
  retired: false,
  ...members,
});
const question = { key: "load", name: "Load", kind: "boolean" as const, options: [], required: true };
const labels = [
  label("forklift"),
  label("pallet", { attributes: [question] }),
  label("old", { retired: true }),
  label("weather", { types: ["classification"], attributes: [{ ...question, key: "rain", name: "Rain" }] }),
];
const box = (id: string, [x, y, width, height]: number[], label_id = "forklift", attributes = {}): DraftShape => ({
  id,
  label_id,
  type: "bbox",
  coordinates: { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 },
  attributes,
  position: 0,
});
const weather: DraftShape = {
  id: "w",
  label_id: "weather",
  type: "classification",
  coordinates: {},
  attributes: { rain: false },
  position: 0,
};
const check = (...shapes: DraftShape[]) =>
  findChecks([...shapes, weather], labels, picture).map((found) => `${found.check} ${found.shape}`);

test("a draft without doubts has no findings; an answer of false is one", () => {
  expect(check(box("a", [0, 0, 1_000, 800]), box("b", [10, 10, 50, 50], "pallet", { load: false }))).toEqual([]);
});

test.each([
  ["unknown_label a", box("a", [0, 0, 50, 50], "gone")],
  ["retired_label a", box("a", [0, 0, 50, 50], "old")],
  ["required_attribute a", box("a", [0, 0, 50, 50], "pallet")],
  ["too_small a", box("a", [0, 0, 2, 1.9])],
  ["outside a", box("a", [990, 0, 50, 50])],
])("%s is found", (finding, shape) => {
  expect(check(shape)).toEqual([finding]);
});

test("of shapes of one label that are nearly the same each but the first is found; of other labels none", () => {
  const same = [box("a", [100, 100, 100, 100]), box("b", [101, 100, 100, 100]), box("c", [100, 100, 100, 101])];
  expect(check(...same).toSorted()).toEqual(["twice b", "twice c"]);
  expect(check(box("a", [100, 100, 100, 100]), box("b", [100, 100, 100, 100], "pallet", { load: true }))).toEqual([]);
  expect(check(box("a", [100, 100, 100, 100]), box("b", [110, 100, 100, 100]))).toEqual([]);
});

const square = (low: number, high: number): [number, number][] => [
  [low, low],
  [high, low],
  [high, high],
  [low, high],
];
const rest = { label_id: "forklift", attributes: {}, position: 0 };
const polygon = (id: string, points: [number, number][], ...holes: [number, number][][]): DraftShape => ({
  ...rest,
  id,
  type: "polygon",
  coordinates: { points, holes },
});
function mask(id: string, ...rings: [number, number][][]): DraftShape {
  const filled = toRuns(rings, picture);
  if (!filled) throw new Error("no pixels");
  return { ...rest, id, type: "mask", coordinates: toCoordinates(filled.box, filled.runs, picture) };
}

test("masks are compared by pixels, also with areas inside of lines, and holes are no area", () => {
  expect(check(mask("a", square(0, 1)))).toEqual(["too_small a"]);
  expect(check(mask("a", square(0, 2)), mask("b", square(700, 750)))).toEqual([]);
  expect(check(polygon("a", square(0, 10), square(0.2, 9.9)))).toEqual([]);
  expect(check(polygon("a", square(0, 10), square(0.1, 9.95)))).toEqual(["too_small a"]);
  expect(check(mask("a", square(0, 100)), mask("b", square(0, 99)))).toEqual(["twice b"]);
  expect(check(mask("a", square(0, 100)), mask("b", square(0, 100), square(20, 60)))).toEqual([]);
  expect(check(mask("a", square(0, 100)), polygon("b", square(0, 100)))).toEqual(["twice b"]);
  expect(check(polygon("a", square(0, 100)), polygon("b", square(0, 100), square(20, 60)))).toEqual([]);
});

test("a tag that asks something is to be answered on every picture", () => {
  expect(findChecks([], labels, picture)).toMatchObject([{ check: "unanswered_tag", shape: null }]);
});

test("the labels of a project are checked as they are stored", () => {
  const [stored] = completeLabels([{ name: "forklift", color: "#0891b2" }]);
  if (!stored) throw new Error("no label");
  const given = toEditorLabel(stored);
  expect(findChecks([box("a", [0, 0, 50, 50], given.id)], [given], picture)).toEqual([]);
});
