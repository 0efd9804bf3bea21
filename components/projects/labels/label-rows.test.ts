import { expect, test } from "vitest";
import {
  addRows,
  describeSaved,
  emptyLabel,
  findFaults,
  keepEdges,
  moveRow,
  toInput,
  toJson,
  toLabels,
  toRows,
} from "@/components/projects/labels/label-rows";
import { changeLabels } from "@/domain/projects/label-changes";
import { completeLabels, LabelInput } from "@/domain/projects/label-schema";

const stored = completeLabels(["robot", "cart", "person"].map((name) => ({ name, color: "#0891b2" })));
const inputs = stored.map(toInput);
const named = (labels: readonly LabelInput[]) => labels.map(({ name }) => name);

test("a row moves among those that are not retired, which stay last, and no further than the ends", () => {
  const rows = toRows(inputs.map((label) => ({ ...label, retired: label.name === "cart" })));
  expect(named(toLabels(moveRow(rows, 2, -1)))).toEqual(["person", "robot", "cart"]);
  expect(named(toLabels(moveRow(rows, 0, -5)))).toEqual(["robot", "person", "cart"]);
  expect(named(toLabels(moveRow(rows, 0, 9)))).toEqual(["person", "robot", "cart"]);
});

test("a label is added after a row, and no two rows are the same", () => {
  const rows = addRows(toRows(inputs), [{ ...emptyLabel([]), name: "gate" }], 0);
  expect(named(toLabels(rows))).toEqual(["robot", "gate", "cart", "person"]);
  expect(new Set(rows.map(({ row }) => row)).size).toBe(4);
});

test.each([
  [[{ name: "" }], [0, "name"]],
  [[{ color: "red" }], [0, "color"]],
  [
    [{ key: "1" }, { key: "1" }],
    [1, "key"],
  ],
  [[{}, { name: "robot" }], []],
  [[{ edges: [[0, 1]] }], [0, "edges"]],
])("what the server would refuse is found before, at its place: %j", (changes, path) => {
  const labels = inputs.map((label, at) => ({ ...label, ...changes[at] }));
  expect(findFaults(labels as LabelInput[], stored)[0]).toMatchObject({ path });
});

test("a key that a retired label had is free", () => {
  const [robot, cart] = inputs;
  if (!robot || !cart) throw new Error("unreachable");
  expect(
    findFaults(
      [
        { ...robot, key: "1" },
        { ...cart, key: "1", retired: true },
      ],
      stored,
    ),
  ).toEqual([]);
});

test("JSON leaves out what a label has by default, and is read back as the same", () => {
  const [robot] = inputs;
  if (!robot) throw new Error("unreachable");
  expect(toJson(robot)).toEqual({ id: "0", name: "robot", color: "#0891b2" });
  const full = {
    ...robot,
    types: ["bbox" as const],
    key: "3",
    points: ["a", "b"],
    edges: [[0, 1] as [number, number]],
  };
  expect(LabelInput.parse(toJson(full))).toEqual(full);
});

test("the edges of a skeleton follow the names of its points", () => {
  const skeleton = {
    points: ["nose", "neck", "hip"],
    edges: [
      [0, 1],
      [1, 2],
    ] as [number, number][],
  };
  expect(keepEdges(skeleton, ["hip", "neck"])).toEqual([[1, 0]]);
  expect(keepEdges(skeleton, ["head", "nose", "neck", "hip"])).toEqual([
    [1, 2],
    [2, 3],
  ]);
});

test("saving says what was retired, removed, renamed, brought back and added, with the classes", () => {
  const sent = [
    { ...emptyLabel([]), name: "gate" },
    { ...(inputs[0] ?? emptyLabel([])), name: "machine" },
  ];
  const changed = changeLabels({ labels: stored, nextNumber: 3 }, sent, ({ name }) => name === "cart");
  if ("wrong" in changed) throw new Error("refused");
  expect(describeSaved(stored, sent, changed.labels)).toEqual([
    "robot is now called machine and keeps class 0.",
    "cart was retired, because results or drafts have it, and keeps class 1.",
    "person was removed: nothing has it. Its class 2 is not given again.",
    "gate has class 3.",
  ]);
  const back = changed.labels.map((label) => ({ ...toInput(label), retired: false }));
  const again = changeLabels(changed, back, () => true);
  if ("wrong" in again) throw new Error("refused");
  expect(describeSaved(changed.labels, back, again.labels)).toEqual(["cart is back, with its class 1."]);
});
