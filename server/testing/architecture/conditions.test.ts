import { expect, test } from "vitest";
import { conditionTypes } from "@/domain/conditions/registry";
import { product, readText } from "@/server/testing/architecture/source-tree";

/** Only here is a condition known by its type: whether it is made of others. */
const tree = "domain/conditions/condition.ts";

test("no file asks which type a condition has: each type says so itself in the registries", () => {
  const types = conditionTypes.join("|");
  const asks = new RegExp(`[!=]==? ?"(${types})"|case "(${types})":`);
  expect(product.filter((file) => file !== tree && asks.test(readText(file)))).toEqual([]);
});
