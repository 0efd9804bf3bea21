import { expect, test } from "vitest";
import { countItems, findChange, formatDifference, formatLeaf, isBranch, isSame, listChildren } from "./message-tree";

const root = (value: unknown, before?: unknown) => listChildren({ value, before, path: "" });
const bytes = { $bytes: true, length: 2_764_800, base64: "AAAA" };

test("members and items have the paths of rules and plots", () => {
  const [pose, odd, data] = root({ pose: { x: 1 }, "odd key": 2, data: [5, { y: 6 }] });
  expect([pose?.path, odd?.path, data?.path]).toEqual(["pose", '["odd key"]', "data"]);
  expect(listChildren(pose!).map(({ path }) => path)).toEqual(["pose.x"]);
  const items = listChildren(data!);
  expect(items.map(({ path, name }) => [path, name])).toEqual([
    ["data[0]", "0"],
    ["data[1]", "1"],
  ]);
  expect(listChildren(items[1]!).map(({ path, value }) => [path, value])).toEqual([["data[1].y", 6]]);
});

test("long lists show how many items they have, and bytes are no list", () => {
  const long = { $list: true, length: 9_000, items: [1, 2] };
  expect([countItems(long), countItems([1]), countItems({}), countItems(bytes)]).toEqual([9_000, 1, null, null]);
  expect(listChildren({ value: long, before: undefined, path: "ranges" }).map(({ path }) => path)).toEqual([
    "ranges[0]",
    "ranges[1]",
  ]);
  expect([isBranch(long), isBranch(bytes), isBranch(null), isBranch({})]).toEqual([true, false, false, true]);
});

test("what a message has and what another had stand side by side", () => {
  const children = root({ a: 1, b: [1, 2, 3], c: { x: 1 } }, { a: 1, b: [1, 9], d: "gone", c: { x: 1 } });
  expect(children.map((child) => [child.name, findChange(child)])).toEqual([
    ["a", "same"],
    ["b", "changed"],
    ["c", "same"],
    ["d", "removed"],
  ]);
  expect(listChildren(children[1]!).map(findChange)).toEqual(["same", "changed", "added"]);
  // A list in place of an object, and the other way around.
  expect(root({ k: [1] }, { k: { x: 1 } }).map(findChange)).toEqual(["changed"]);
  expect(root([1, 2], { x: 1 }).map(findChange)).toEqual(["added", "added"]);
});

test("values are compared with everything inside", () => {
  expect(isSame({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(isSame({ a: 1 }, { b: 1 })).toBe(false);
  expect(isSame([1], { 0: 1 })).toBe(false);
  expect(isSame(null, {})).toBe(false);
  expect(isSame(bytes, { ...bytes, base64: "AAAB" })).toBe(false);
});

test.each([
  [5, 3.5, "+1.5"],
  [0.1 + 0.2, 0.3, "+5.55112e-17"],
  [1, 4, "−3"],
  ["on", "off", null],
  [1, undefined, null],
])("the difference of %j from %j is %s", (value, before, text) => {
  expect(formatDifference({ value, before })).toBe(text);
});

test.each([
  [-1.5, "−1.5"],
  ["NaN", '"NaN"'],
  [null, "null"],
  [true, "true"],
  [bytes, "2,764,800 bytes"],
  [{ ...bytes, length: 1 }, "1 byte"],
])("%j reads %s", (value, text) => {
  expect(formatLeaf(value)).toBe(text);
});

test("numbers of 32 bits have the digits that they were written with, those of 64 bits all of theirs", () => {
  const numbers = [Math.fround(23.05), Math.fround(0.7549), -Math.fround(1e-7), 0.1 + 0.2, 23.05, 1_770_000_030, 0.5];
  expect(numbers.map(formatLeaf)).toEqual([
    "23.05",
    "0.7549",
    "−1e-7",
    "0.30000000000000004",
    "23.05",
    "1770000030",
    "0.5",
  ]);
  expect(Number.parseFloat(formatLeaf(Math.fround(Math.PI)))).toBeCloseTo(Math.PI, 6);
});
