import { describe, expect, test } from "vitest";
import { inBulk, tagChange } from "@/server/platform/bulk";
import { conflict, invalid } from "@/server/platform/errors";
import { newUid } from "@/server/platform/uid";

const uids = Array.from({ length: 20 }, () => newUid("alert"));

describe("a bulk operation", () => {
  test("reports each refusal with its object, in the order of the uids, and continues with the others", async () => {
    const [first = "", second = "", third = ""] = uids;
    const { results, succeeded, failed } = await inBulk("alert", [first, "alert_1", second, third], (uid) => {
      if (uid === first) throw conflict("It is resolved.");
      if (uid === second) throw invalid("until", "Too early.", "Too short.");
      return Promise.resolve({ status: "open" });
    });
    expect(results).toEqual([
      { uid: first, ok: false, error: "It is resolved." },
      { uid: "alert_1", ok: false, error: "Not found." },
      { uid: second, ok: false, error: "Too early. Too short." },
      { uid: third, ok: true, error: null, status: "open" },
    ]);
    expect([succeeded, failed]).toEqual([1, 3]);
  });

  test("runs no more actions concurrently than allowed", async () => {
    let underWay = 0;
    let max = 0;
    await inBulk(
      "alert",
      uids,
      async () => {
        max = Math.max(max, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return {};
      },
      3,
    );
    expect(max).toBe(3);
  });

  test("rejects for an error that is not a refusal", async () => {
    await expect(inBulk("alert", uids, () => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
  });
});

test.each([
  [["a", "b"], { add: ["b", "c", "c"] }, { after: ["a", "b", "c"], added: ["c"], removed: [] }],
  [["a", "b"], { remove: ["b", "x"] }, { after: ["a"], added: [], removed: ["b"] }],
  [["a"], { add: ["a"], remove: ["x"] }, { after: ["a"], added: [], removed: [] }],
])("changing the tags %j by %j gives %j", (before, change, expected) => {
  expect(tagChange(before, change)).toEqual(expected);
});
