import { describe, expect, test } from "vitest";
import { conditionSchema, parseCondition } from "@/domain/conditions/condition-schema";
import { describeCondition, describeHit } from "@/domain/conditions/describe";
import { rate } from "@/domain/conditions/rate";
import type { RateCondition, RateEvidence } from "@/domain/conditions/rate-schema";
import { issueLine, toIssues } from "@/domain/issues";

const rising = { type: "rate", topic: "/tank", field: "level", operator: "gt", value: 5 };

describe("a rate", () => {
  test("keeps every option it has, with operators by their names", () => {
    const json = {
      ...rising,
      field_mode: "all",
      over: "1m30s",
      window: "10s",
      recover: { operator: "lt", value: "0.5" },
      keep_for: "2s",
      cooldown: "1h",
      timestamp_source: "log_time",
    };
    expect(parseCondition(json)).toEqual(json);
    expect(parseCondition({ ...rising, operator: ">=" })).toMatchObject({ operator: "gte" });
    expect(parseCondition({ type: "composite", operator: "and", conditions: [rising] })).toMatchObject({
      conditions: [rising],
    });
  });

  test.each<[object, string[]]>([
    [{ topic: undefined }, ["topic: This field is required."]],
    [{ topic: " " }, ["topic: This field may not be blank."]],
    [{ field: undefined }, ["field: This field is required."]],
    [{ field: "a[" }, ["field: Expected an index, a slice or a quoted key at position 2."]],
    [{ operator: undefined }, ["operator: This field is required."]],
    [
      { operator: "above" },
      ['operator: "above" is not a valid choice. Choices: gt, gte, lt, lte, eq, neq, between, outside.'],
    ],
    [{ value: undefined }, ["value: This field is required."]],
    [{ value: "fast" }, ["value: A valid number is required."]],
    [{ value: true }, ["value: A valid number is required."]],
    [{ operator: "eq", value: "fast" }, ["value: A valid number is required."]],
    [{ operator: "neq", value: true }, ["value: A valid number is required."]],
    [{ value: [1, 2] }, ['value: "gt" needs one value.']],
    [{ operator: "between", value: 1 }, ['value: "between" needs two numbers: [low, high].']],
    [{ operator: "between", value: [2, 1] }, ["value: The low end is above the high end."]],
    [{ over: "soon" }, ["over: Enter a duration such as 10s, 5m or 1m30s: more than zero, at most 30d."]],
    [{ over: "0s" }, ["over: Enter a duration such as 10s, 5m or 1m30s: more than zero, at most 30d."]],
    [{ over: 2 }, ["over: Not a valid string."]],
    [{ recover: { operator: "eq", value: "slow" } }, ["recover.value: A valid number is required."]],
    [{ field_mode: "most" }, ['field_mode: "most" is not a valid choice. Choices: any, all, min, max, mean, count.']],
  ])("with %j is refused where it is wrong", (change, messages) => {
    const result = conditionSchema.safeParse({ ...rising, ...change });
    expect(result.success ? [] : toIssues(result.error.issues).map(issueLine)).toEqual(messages);
  });

  test.each<[Partial<RateCondition>, string]>([
    [{}, "/tank level rises faster than 5 per second"],
    [{ operator: "gte", value: 2.5 }, "/tank level rises at least 2.5 per second"],
    [{ operator: "lt", value: -5 }, "/tank level falls faster than 5 per second"],
    [{ operator: "lte", value: "-0.5" }, "/tank level falls at least 0.5 per second"],
    [{ operator: "lt", value: 5 }, "/tank level changes < 5 per second"],
    [{ operator: "gt", value: -5 }, "/tank level changes > -5 per second"],
    [{ operator: "eq", value: 0 }, "/tank level changes == 0 per second"],
    [{ operator: "outside", value: [-1, 1] }, "/tank level changes outside -1 to 1 per second"],
    [
      { field_mode: "max", over: "2s", window: "10s" },
      "/tank max of level rises faster than 5 per second over 2s for 10s",
    ],
    [
      { recover: { operator: "lt", value: 1 }, keep_for: "1s", cooldown: "1m" },
      "/tank level rises faster than 5 per second until < 1 per second kept for 1s, at most once in 1m",
    ],
  ])("with %j reads %s", (change, description) => {
    expect(describeCondition(parseCondition({ ...rising, ...change }))).toBe(description);
  });

  const leaf: RateEvidence = {
    type: "rate",
    path: "",
    topic: "/tank",
    field: "level",
    holds: true,
    value: 6.25,
    value_at: "1500000000",
    operator: "gt",
    threshold: 5,
    window: "10s",
    samples: [],
    earlier: ["1000000000", 10],
    later: ["1500000000", 13.125],
  };

  test("is described with its value and the samples it was computed from", () => {
    const condition = parseCondition({ ...rising, window: "10s" });
    expect(describeHit({ condition }, { evidence: { leaves: [leaf] } })).toBe(
      "Tank level rises 6.25 per second (limit 5 for 10 s)",
    );
    expect(rate.describeEvidence(leaf)).toBe("rises faster than 5 per second for 10s");
    expect(rate.describeEvidence({ ...leaf, operator: "outside", threshold: [-1, 1], window: null })).toBe(
      "changes outside -1 and 1 per second",
    );
    expect(rate.describeOrigin(leaf)).toBe("10 → 13.125 in 0.5 s");
    const { earlier: _, ...unknown } = leaf;
    expect(rate.describeOrigin(unknown)).toBeNull();
  });

  test("warns its author of fields that hold no numbers, for every operator", () => {
    const warnings = (kind: string, change: Partial<RateCondition> = {}) =>
      rate.warnings(
        { ...(rising as RateCondition), operator: "eq", ...change },
        { topic: "/tank", kinds: new Set([kind]) },
      );
    expect(warnings("number")).toEqual([]);
    expect(warnings("boolean")).toEqual(["level of /tank is true or false, which has no rate."]);
    expect(warnings("string")).toEqual(["level of /tank is text; it has a rate only where the text is a number."]);
    expect(warnings("string", { field_mode: "count" })).toEqual([]);
  });
});
