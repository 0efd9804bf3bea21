import { expect, test } from "vitest";
import { addressValue, filterInput, nextPage } from "./list-input";

test("a repeated parameter counts once, an empty one not at all", () => {
  const values = { status: ["online", "offline"], type: "", search: "arm", firmware: null, tags: [] };
  expect(addressValue(values, "status")).toBe("online");
  for (const key of ["type", "firmware", "tags", "missing"]) expect(addressValue(values, key)).toBeNull();
});

test("the server's prefetch and the browser request the same, whatever else is in the address", () => {
  const keys = ["status", "search"] as const;
  const onServer = filterInput(keys, { status: "online", selected: "dev_1", search: undefined });
  const inBrowser = filterInput(keys, { status: "online", search: null });
  expect(onServer).toEqual({ status: "online" });
  expect(inBrowser).toEqual(onServer);
});

test("the last page is followed by none", () => {
  expect(nextPage.getNextPageParam({ next: "cursor" })).toBe("cursor");
  expect(nextPage.getNextPageParam({ next: null })).toBeUndefined();
});
