import { expect, test } from "vitest";
import { limitResult, maxResultLength } from "@/server/transport/mcp/result-size";

const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

test("a result that is small enough is returned as it is", () => {
  const result = { uids: many(500, "x") };
  expect(limitResult(result)).toBe(result);
});

test("long lists of a result that is too large are shortened, which it says", () => {
  const topics = many(150, { name: "/a", fields: many(60, { path: "data.value", kind: "number" }) });
  const result = limitResult({ uid: "rec_1", gaps: [1, 2], topics });
  expect(JSON.stringify(result).length).toBeLessThanOrEqual(maxResultLength);
  expect(result.shortened).toEqual(["topics: 20 of 150", "topics[].fields: 20 of 60"]);
  expect(result).toMatchObject({ uid: "rec_1", gaps: [1, 2] });
});

test("the rows of a page are never shortened, only the lists in them: paging would skip some", () => {
  const rows = many(30, { device_ids: many(300, "dev_0199c0de-7a11-7000-8000-000000000001") });
  const page = limitResult({ next: null, results: rows });
  expect([(page.results as unknown[]).length, page.shortened]).toEqual([30, ["results[].device_ids: 20 of 300"]]);
  const large = { next: null, results: many(100, "x".repeat(1_000)) };
  expect(() => limitResult(large)).toThrow(/smaller `limit`/);
});
