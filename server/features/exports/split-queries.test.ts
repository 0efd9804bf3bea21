import { expect, test } from "vitest";
import { placeCuts } from "@/server/features/exports/split-queries";

test.each([
  [10, { val: 8, test: 10 }, { train: 0.8, val: 0.2, test: 0 }, { val: 8, test: 10 }],
  [10, { val: 10, test: 10 }, { train: 0.8, val: 0.2, test: 0 }, { val: 9, test: 10 }],
  [10, { val: 0, test: 10 }, { train: 0.8, val: 0.2, test: 0 }, { val: 1, test: 10 }],
  [3, { val: 3, test: 3 }, { train: 0.8, val: 0.1, test: 0.1 }, { val: 1, test: 2 }],
  [3, { val: 0, test: 0 }, { train: 0.8, val: 0.1, test: 0.1 }, { val: 1, test: 2 }],
  [2, { val: 0, test: 0 }, { train: 0.8, val: 0.1, test: 0.1 }, { val: 1, test: 2 }],
  [2, { val: 2, test: 2 }, { train: 0.8, val: 0, test: 0.2 }, { val: 1, test: 1 }],
  [5, { val: 5, test: 5 }, { train: 1, val: 0, test: 0 }, { val: 5, test: 5 }],
])("of %i groups, cuts at %j for %j are %j", (count, natural, shares, cuts) => {
  expect(placeCuts(count, natural, shares)).toEqual(cuts);
});
