import { expect, test } from "vitest";
import { isMultiArraySchema, readArrayLabels } from "@/engine/messages/pictures/multi-array";

const dim = [
  { label: "rows", size: 2, stride: 6 },
  { label: "joints", size: 3, stride: 3 },
];

test("numbers of a list have the labels of its layout, from its offset on", () => {
  const label = readArrayLabels({ layout: { dim, data_offset: 1 }, data: [] })!;
  expect([0, 1, 3, 4, 6, 7].map(label)).toEqual([
    null,
    "rows 0, joints 0",
    "rows 0, joints 2",
    "rows 1, joints 0",
    "rows 1, joints 2",
    null,
  ]);
  expect(readArrayLabels({ layout: { dim: [{ label: "", size: 4, stride: 4 }] } })!(3)).toBe("dimension 1 3");
});

test("a layout that is missing, empty or wrong labels nothing", () => {
  const layouts = [
    undefined,
    {},
    { dim: [] },
    { dim: [{ label: "a", size: 0 }] },
    { dim: [dim[0], { label: "b" }] },
    5,
  ];
  expect(layouts.map((layout) => readArrayLabels({ layout }))).toEqual(layouts.map(() => null));
  expect(
    ["std_msgs/msg/Float64MultiArray", "std_msgs/Int8MultiArray", "std_msgs/String"].map(isMultiArraySchema),
  ).toEqual([true, true, false]);
});
