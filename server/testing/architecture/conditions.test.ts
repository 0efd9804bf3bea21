import { expect, test } from "vitest";
import { conditionTypes } from "@/domain/conditions/registry";
import { product, readText } from "@/server/testing/architecture/source-tree";

/** The only file that may compare condition types: it decides whether a condition is composite. */
const tree = "domain/conditions/condition.ts";

test("no other file compares condition types: what depends on a type is in the registries", () => {
  const types = conditionTypes.join("|");
  const comparison = new RegExp(`[!=]==? ?"(${types})"|case "(${types})":`);
  expect(product.filter((file) => file !== tree && comparison.test(readText(file)))).toEqual([]);
});
