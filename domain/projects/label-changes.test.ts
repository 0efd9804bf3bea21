import fc from "fast-check";
import { expect, test } from "vitest";
import { changeLabels } from "@/domain/projects/label-changes";
import { completeLabels, LabelInput } from "@/domain/projects/label-schema";

const input = (...labels: (string | object)[]) =>
  labels.map((label) => LabelInput.parse(typeof label === "string" ? { name: label } : label));
const start = (...names: string[]) => ({
  labels: completeLabels(names.map((name) => ({ name, color: "#ff0000" }))),
  nextNumber: 0,
});
const unused = () => false;

test("labels stored without numbers have their place as number", () => {
  expect(start("a", "b").labels).toMatchObject([
    { id: "0", number: 0, name: "a", aliases: [], retired: false },
    { id: "1", number: 1, name: "b" },
  ]);
});

test("a label that is left out is removed, or retired if it is in use; numbers are never given again", () => {
  const removed = changeLabels(start("a", "b", "c"), input("b"), ({ name }) => name === "a");
  expect(removed).toMatchObject({
    labels: [
      { name: "b", number: 1 },
      { name: "a", number: 0, retired: true },
    ],
    nextNumber: 3,
  });
  const added = changeLabels("wrong" in removed ? start() : removed, input("d", "a"), unused);
  expect(added).toMatchObject({
    labels: [
      { name: "d", number: 3 },
      { name: "a", number: 0, retired: false },
    ],
  });
});

test("a label that is renamed keeps its id and number, and its former name as an alias", () => {
  const renamed = changeLabels(start("a", "b"), input("b", { id: "0", name: "z" }), unused);
  expect(renamed).toMatchObject({
    labels: [
      { id: "1", name: "b" },
      { id: "0", number: 0, name: "z", aliases: ["a"] },
    ],
  });
  const back = changeLabels("wrong" in renamed ? start() : renamed, input("b", { id: "0", name: "a" }), unused);
  expect(back).toMatchObject({ labels: [{ name: "b" }, { name: "a", aliases: ["z"] }] });
});

test.each([
  [input({ id: "9", name: "z" }), 0, "id"],
  [input("a", { id: "1", name: "a" }), 0, "name"],
  [input({ id: "0", name: "b" }, "c"), 0, "name"],
  [input({ id: "0", name: "z" }, "a"), 0, "name"],
  [input({ id: "0", name: "y" }, { id: "0", name: "z" }), 0, "name"],
])("labels that exist nowhere or share a name or alias are refused: %j", (given, at, field) => {
  const changed = changeLabels(start("a", "b"), given, () => true);
  expect("wrong" in changed && changed.wrong[0]).toMatchObject({ at, message: expect.stringContaining(field) });
});

test("no two labels ever have the same number, whatever lists come after each other", () => {
  const lists = fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(lists, fc.boolean(), (all, isUsed) => {
      const numbers = new Map<number, string>();
      let now: Parameters<typeof changeLabels>[0] = start("a");
      for (const names of all) {
        const changed = changeLabels(now, input(...names), () => isUsed);
        if ("wrong" in changed) throw new Error("a list of distinct names was refused");
        now = changed;
        for (const { number, name } of changed.labels) {
          expect(numbers.get(number) ?? name).toBe(name);
          numbers.set(number, name);
        }
      }
    }),
  );
});
