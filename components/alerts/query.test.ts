import { expect, test } from "vitest";
import { alertFilters, filterKeys, groupInput, inboxInput, tabInput } from "./query";

test("lists, groups and the counts of the tabs get each filter of the address under its own name", () => {
  const values = Object.fromEntries(filterKeys.map((key) => [key, `value of ${key}`]));
  const address = { ...values, status: "acknowledged", other: "1" };
  expect(alertFilters(address)).toEqual(values);
  expect(inboxInput(address)).toMatchObject(alertFilters(address));
  expect(tabInput(address)).toEqual({ ...values, tab: "acknowledged" });
  expect(groupInput(address, "rule")).toEqual({ ...values, tab: "acknowledged", by: "rule" });
});
