import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listLeaves } from "@/domain/conditions/condition";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { isComplete, parseScalar, tidy, withType } from "./conditions/condition-draft";
import { conditionErrors, errorAt } from "./conditions/condition-errors";
import { draftFrom, emptyDraft } from "./draft";
import { diffLines } from "./json-diff";
import { countPerDay, suggestThreshold } from "./suggestions/suggestion";

const leaf: fc.Arbitrary<ConditionDraft> = fc.oneof(
  fc.record({
    type: fc.constant("threshold" as const),
    topic: fc.string(),
    field: fc.string(),
    operator: fc.constantFrom("gt", "lt"),
    value: fc.double({ noNaN: true }),
  }),
  fc.record({ type: fc.constant("pattern" as const), topic: fc.string(), field: fc.string(), regex: fc.string() }),
  fc.record({
    type: fc.constant("frequency" as const),
    topic: fc.string(),
    count_operator: fc.constant("gt"),
    count: fc.nat(),
    window: fc.constant("10s"),
  }),
  fc.record({ type: fc.constant("absence" as const), topic: fc.string(), timeout: fc.constant("5s") }),
);
const { condition } = fc.letrec<{ condition: ConditionDraft; group: ConditionDraft }>((tie) => ({
  condition: fc.oneof({ depthSize: "small" }, leaf, tie("group")),
  group: fc.record({
    type: fc.constant("composite" as const),
    operator: fc.constantFrom("and", "or"),
    conditions: fc.array(tie("condition"), { minLength: 1, maxLength: 4 }),
  }),
}));

describe("a draft of a condition", () => {
  test("is the JSON that is saved: through text and back it stays the same", () => {
    fc.assert(
      fc.property(condition, (draft) => {
        const sent = tidy(draft);
        expect(tidy(JSON.parse(JSON.stringify(sent)) as ConditionDraft)).toEqual(JSON.parse(JSON.stringify(sent)));
        const read = draftFrom(new URLSearchParams({ condition: JSON.stringify(sent), name: "x" }));
        expect(read.condition).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
    );
  });

  test("keeps its topic and field when its kind changes, and all its parts inside a combination", () => {
    const hot: ConditionDraft = { type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 80 };
    expect(withType(hot, "pattern")).toMatchObject({ type: "pattern", topic: "/motor", field: "temperature" });
    const both = withType(hot, "composite");
    expect(listLeaves(both)).toEqual([hot]);
    expect(withType(both, "threshold")).toEqual(hot);
  });

  test("is complete only when every part of it is", () => {
    expect(isComplete(emptyDraft.condition)).toBe(false);
    const complete: ConditionDraft = { type: "absence", topic: "/t", timeout: "5s" };
    expect(isComplete({ type: "composite", operator: "and", conditions: [complete, complete] })).toBe(true);
    expect(
      isComplete({ type: "composite", operator: "and", conditions: [complete, { ...complete, topic: " " }] }),
    ).toBe(false);
    expect(isComplete({ type: "composite", operator: "and", conditions: [] })).toBe(false);
  });

  test("of an address that holds none begins empty", () => {
    for (const text of ["condition=nonsense", "condition=%5B%5D", "condition=%7B%22type%22%3A%22other%22%7D", ""]) {
      expect(draftFrom(new URLSearchParams(text)).condition).toEqual(emptyDraft.condition);
    }
  });
});

test.each([
  ["80", 80],
  ["-1.5e3", -1500],
  ["true", true],
  ["9223372036854775809", "9223372036854775809"],
  ["0x10", "0x10"],
  ["hot", "hot"],
  ["1.", 1],
])("%s means %j", (text, value) => {
  expect(parseScalar(text)).toEqual(value);
});

test("issues of the server are shown at the part they concern", () => {
  const errors = conditionErrors([
    { path: ["conditions", 1, "topic"], message: "This field is required." },
    { path: ["value", 0], message: "A valid number is required." },
    { path: [], message: "Too deep." },
  ]);
  expect(errorAt(errors, "conditions.1", "topic")).toBe("This field is required.");
  expect(errorAt(errors, "", "value")).toBe("A valid number is required.");
  expect(errorAt(errors, "", "topic")).toBeUndefined();
  expect(errors.get("")).toBe("Too deep.");
});

test("both texts can be restored from a difference of lines", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const side = (not: string) =>
        lines
          .filter(({ kind }) => kind !== not)
          .map((line) => line.text)
          .join("\n");
      expect([side("added"), side("removed")]).toEqual([before, after]);
    }),
  );
});

describe("a quieter threshold", () => {
  const hot: ConditionDraft = { type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 65 };
  const peaks = Array.from({ length: 40 }, (_, n) => 66 + n);

  test("leaves at most one hit a day, as often as the rule triggers now", () => {
    const suggestion = suggestThreshold(hot, peaks, 4);
    expect(suggestion).toMatchObject({ of: 40 });
    // A quarter of them makes one a day.
    expect(suggestion?.left).toBeLessThanOrEqual(10);
    expect(suggestion?.left).toBeGreaterThan(5);
    expect(suggestThreshold({ ...hot, operator: "lt", value: 110 }, peaks, 4)?.left).toBeLessThanOrEqual(10);
    expect(suggestThreshold(hot, peaks, 20)?.value).toBeGreaterThan(suggestion?.value ?? 0);
  });

  test("counts a rule's hits a day from its first one, not from before there was anything to find", () => {
    const days = [0, 0, 0, 6, 0, 3].map((hits) => ({ hits }));
    expect(countPerDay(days)).toBe(3);
    expect(countPerDay(days.slice(0, 3))).toBe(0);
  });

  test("is not suggested for a rule that triggers at most once a day", () => {
    expect(suggestThreshold(hot, peaks, 1)).toBeNull();
  });

  test("is not suggested from a few hits, nor for what is no plain threshold", () => {
    expect(suggestThreshold(hot, [70, 71], 9)).toBeNull();
    expect(
      suggestThreshold(
        { type: "absence", topic: "/t", timeout: "5s" },
        Array.from({ length: 30 }, () => 5),
        9,
      ),
    ).toBeNull();
  });
});
