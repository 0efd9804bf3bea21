import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { conditionSchema } from "@/domain/conditions/condition-schema";
import { issueLine, toIssues } from "@/domain/issues";
import { actionsSchema } from "@/domain/rules/actions";
import { inScope, listReferences, scopeSchema } from "@/domain/rules/scope";

const refusals = (schema: z.ZodType, json: unknown): string[] => {
  const result = schema.safeParse(json);
  return result.success ? [] : toIssues(result.error.issues).map(issueLine);
};
const errors = (json: unknown) => refusals(conditionSchema, json);

const threshold = { type: "threshold", topic: "/temp", field: "data.value", operator: "gt", value: 80 };
const pattern = { type: "pattern", topic: "/log", field: "msg", regex: "ERROR|FATAL" };
const frequency = { type: "frequency", topic: "/errors", count_operator: "gt", count: 5, window: "1m" };
const absence = { type: "absence", topic: "/cam", timeout: "5s" };
const composite = { type: "composite", operator: "and", conditions: [threshold, absence] };

describe("a condition", () => {
  test.each([threshold, pattern, frequency, absence, composite])("of type $type is kept as it was sent", (json) => {
    expect(conditionSchema.parse(json)).toEqual(json);
  });
  test("keeps every option of its type", () => {
    const json = {
      ...threshold,
      field_mode: "max",
      window: "1m30s",
      recover: { operator: "lt", value: 75 },
      keep_for: "2s",
      cooldown: "1h",
      timestamp_source: "log_time",
    };
    expect(conditionSchema.parse(json)).toEqual(json);
    expect(conditionSchema.parse({ ...composite, hold: "500ms" })).toEqual({ ...composite, hold: "500ms" });
  });
  test("drops unknown keys", () => {
    expect(conditionSchema.parse({ ...threshold, colour: "red" })).toEqual(threshold);
  });
  test.each([
    [">", "gt"],
    [">=", "gte"],
    ["<", "lt"],
    ["<=", "lte"],
    ["==", "eq"],
    ["!=", "neq"],
  ])("takes the symbol %s for %s", (symbol, name) => {
    expect(conditionSchema.parse({ ...threshold, operator: symbol })).toMatchObject({ operator: name });
    expect(conditionSchema.parse({ ...frequency, count_operator: symbol })).toMatchObject({ count_operator: name });
  });

  test.each([
    ["missing", undefined, ["This field is required."]],
    ["null", null, ["This field may not be null."]],
    ["a list", [], ["Expected an object."]],
    ["a text", "gt 80", ["Expected an object."]],
    ["without a type", { topic: "/a" }, ["type: This field is required."]],
    [
      "of an unknown type",
      { type: "magic" },
      ['type: "magic" is not a valid choice. Choices: threshold, rate, pattern, frequency, absence, composite.'],
    ],
    [
      "of a type that objects inherit",
      { type: "constructor" },
      ['type: "constructor" is not a valid choice. Choices: threshold, rate, pattern, frequency, absence, composite.'],
    ],
    [
      "with nothing but its type",
      { type: "threshold" },
      ["topic", "field", "operator", "value"].map((name) => `${name}: This field is required.`),
    ],
    ["with a blank topic", { ...absence, topic: "  " }, ["topic: This field may not be blank."]],
    ["with a number for a topic", { ...absence, topic: 7 }, ["topic: Not a valid string."]],
    [
      "with another clock",
      { ...absence, timestamp_source: "publish_time" },
      ['timestamp_source: "publish_time" is not a valid choice. Choices: log_time.'],
    ],
  ])("%s is refused", (_, json, messages) => {
    expect(errors(json)).toEqual(messages);
  });

  test("names the place of an error within a composite", () => {
    expect(errors({ ...composite, conditions: [threshold, { type: "absence", timeout: "5s" }] })).toEqual([
      "conditions.1.topic: This field is required.",
    ]);
  });
});

describe("durations", () => {
  test.each(["10", "0s", "-5s", "1e9d", "10 s", "", "s", "1.s", "31d", "0.0000001ms", "1m 30s"])(
    "%j is refused",
    (window) => {
      expect(errors({ ...threshold, window })).toEqual([expect.stringMatching(/^window: Enter a duration/)]);
    },
  );
  test.each(["10s", "5m", "2h", "250ms", "1.5s", "1m30s", "30d"])("%j is accepted", (window) => {
    expect(errors({ ...threshold, window })).toEqual([]);
  });
});

describe("values", () => {
  const listErrors = (operator: string, value: unknown) => errors({ ...threshold, operator, value });

  test("an integer beyond 2^53 is refused as a number, and round-trips as a decimal string", () => {
    expect(listErrors("gt", 9007199254740993)).toEqual([expect.stringMatching(/^value: .*decimal string/)]);
    const json = { ...threshold, value: "9007199254740993" };
    expect(conditionSchema.parse(json)).toEqual(json);
  });
  test("a range needs two numbers, the lower first", () => {
    expect(listErrors("between", [1, 2])).toEqual([]);
    expect(listErrors("outside", ["9007199254740993", "9007199254740994"])).toEqual([]);
    expect(listErrors("between", 1)).toEqual(['value: "between" needs two numbers: [low, high].']);
    expect(listErrors("between", [1])).toEqual(['value: "between" needs two numbers: [low, high].']);
    expect(listErrors("between", [2, 1])).toEqual(["value: The low end is above the high end."]);
    expect(listErrors("between", ["9007199254740994", "9007199254740993"])).toEqual([
      "value: The low end is above the high end.",
    ]);
    expect(listErrors("outside", [1, "x"])).toEqual(["value.1: A valid number is required."]);
  });
  test("ordering needs a number, equality accepts any text", () => {
    for (const value of [true, "hot", "", "Infinity", "0x10"]) {
      expect(listErrors("gt", value)).toEqual(["value: A valid number is required."]);
    }
    for (const value of [true, "hot", "", 0]) expect(listErrors("eq", value)).toEqual([]);
    expect(listErrors("eq", [1])).toEqual(['value: "eq" needs one value.']);
    expect(listErrors("eq", null)).toEqual(["value: This field may not be null."]);
    expect(listErrors("eq", {})).toHaveLength(1);
    expect(listErrors("gt", Infinity)).toHaveLength(1);
  });
  test("a recover condition is checked like a condition", () => {
    expect(errors({ ...threshold, recover: { operator: "lt" } })).toEqual(["recover.value: This field is required."]);
    expect(errors({ ...threshold, recover: { operator: "lt", value: "low" } })).toEqual([
      "recover.value: A valid number is required.",
    ]);
  });
  test("a count is an integer from 0", () => {
    expect(errors({ ...frequency, count: -1 })).toHaveLength(1);
    expect(errors({ ...frequency, count: 1.5 })).toEqual(["count: A valid integer is required."]);
    expect(errors({ ...frequency, count: "5" })).toEqual(["count: A valid integer is required."]);
    expect(errors({ ...frequency, count: 0 })).toEqual([]);
  });
  test("a filter of a frequency is complete or absent", () => {
    expect(errors({ ...frequency, field: "level" })).toEqual([
      "operator: This field is required.",
      "value: This field is required.",
    ]);
    expect(errors({ ...frequency, field: "level", operator: ">=", value: 2 })).toEqual([]);
  });
});

describe("patterns", () => {
  test.each([
    ["(?=x)", 0],
    ["(a)\\1", 3],
    ["[", 0],
    ["ab(c", 0],
    ["ok{5}x{2000}", 6],
    ["\\(?=(?=x)", 4],
  ])("%s is refused with its position", (regex, position) => {
    expect(errors({ ...pattern, regex })).toEqual([
      expect.stringContaining(`regex: Invalid expression at position ${position}:`),
    ]);
  });
  test("of more than 512 characters, or that multiply out, are refused", () => {
    expect(errors({ ...pattern, regex: "a".repeat(512) })).toEqual([]);
    expect(errors({ ...pattern, regex: "a".repeat(600) })).toEqual([
      "regex: Ensure this field has no more than 512 characters.",
    ]);
    expect(errors({ ...pattern, regex: "(?:[a-z]{1,500}x?)".repeat(25) })).toHaveLength(1);
  });
  test("that are slow in backtracking engines are accepted", () => {
    expect(errors({ ...pattern, regex: "(a+)+$" })).toEqual([]);
  });
});

describe("field paths", () => {
  test.each([
    ".a",
    "a..b",
    "a[",
    "a[x]",
    "a]",
    "a{b}",
    'a{b=="c}',
    "__proto__.x",
    "a.constructor",
    "/other.value",
    "a b\t",
  ])("%j is refused with its position", (field) => {
    expect(errors({ ...threshold, field })).toEqual([expect.stringMatching(/^field: .* position \d+\.$/)]);
  });
  test("of more than 16 steps are refused", () => {
    expect(errors({ ...threshold, field: Array(16).fill("a").join(".") })).toEqual([]);
    expect(errors({ ...threshold, field: Array(17).fill("a").join(".") })).toHaveLength(1);
  });
});

describe("composites", () => {
  const nested = (depth: number): unknown => {
    let json: unknown = threshold;
    for (let level = 0; level < depth; level++) json = { type: "composite", operator: "or", conditions: [json] };
    return json;
  };
  test("nest at most five deep, and 100,000 levels are refused like six", () => {
    expect(errors(nested(5))).toEqual([]);
    for (const depth of [6, 5_000, 100_000]) {
      expect(errors(nested(depth))).toEqual(["Conditions can be nested at most 5 deep."]);
    }
  });
  test("combine at most 20 conditions at all levels together", () => {
    const some = (count: number) => Array.from({ length: count }, () => threshold);
    expect(errors({ ...composite, conditions: some(20) })).toEqual([]);
    expect(errors({ ...composite, conditions: some(21) })).toEqual(["A rule can combine at most 20 conditions."]);
    const split = [...some(10), { ...composite, conditions: some(11) }];
    expect(errors({ ...composite, conditions: split })).toEqual(["A rule can combine at most 20 conditions."]);
  });
  test("need a known operator and a child", () => {
    expect(errors({ ...composite, operator: "xor" })).toEqual([
      'operator: "xor" is not a valid choice. Choices: and, or.',
    ]);
    expect(errors({ ...composite, conditions: [] })).toEqual(["conditions: This list may not be empty."]);
    expect(errors({ ...composite, conditions: "x" })).toEqual(["conditions: Expected a list of conditions."]);
    expect(errors({ ...composite, conditions: [null] })).toEqual(["conditions.0: This field may not be null."]);
  });
  test("have a cooldown only at the outermost level", () => {
    expect(errors({ ...composite, cooldown: "1m" })).toEqual([]);
    expect(errors({ ...composite, conditions: [{ ...threshold, cooldown: "1m" }] })).toEqual([
      expect.stringMatching(/^conditions\.0\.cooldown: /),
    ]);
  });
});

describe("actions", () => {
  const event = { type: "create_event", event_type: "error", label: "Too hot" };

  test("of every available kind are kept in order", () => {
    const json = [
      { type: "tag", value: "hot" },
      { ...event, severity: "critical" },
      { type: "flag_for_review" },
      { type: "notify", channel_id: "ch_1", severity: "error" },
      { type: "auto_label", pipeline_id: "x" },
    ];
    expect(actionsSchema.parse(json)).toEqual(json);
  });
  test.each([
    ["none", [], ["This list may not be empty."]],
    ["missing", undefined, ["This field is required."]],
    ["an object", {}, ["Expected a list of actions."]],
    [
      "of an unknown type",
      [{ type: "explode" }],
      ['0.type: "explode" is not a valid choice. Choices: tag, create_event, flag_for_review, notify, auto_label.'],
    ],
    ["a tag without value", [{ type: "tag" }], ["0.value: This field is required."]],
    ["a blank tag", [{ type: "tag", value: " " }], ["0.value: This field may not be blank."]],
    [
      "a tag of 101 characters",
      [{ type: "tag", value: "🤖".repeat(101) }],
      ["0.value: Ensure this field has no more than 100 characters."],
    ],
    [
      "an event of an unknown type",
      [{ ...event, event_type: "ERROR" }],
      ['0.event_type: "ERROR" is not a valid choice. Choices: error, warning, info, state_change, anomaly, custom.'],
    ],
    ["a severity of null", [{ ...event, severity: null }], ["0.severity: This field may not be null."]],
  ])("%s are refused", (_, json, messages) => {
    expect(refusals(actionsSchema, json)).toEqual(messages);
  });
  test("count a tag of 100 emoji as 100 characters", () => {
    expect(refusals(actionsSchema, [{ type: "tag", value: "🤖".repeat(100) }])).toEqual([]);
  });
});

describe("a scope", () => {
  const device = { uid: "dev_1", groupUids: ["grp_1"], tags: ["indoor", "arm"] };

  test.each([null, {}, { device_ids: ["dev_1"], group_ids: [], tags: ["arm"] }])(
    "%j is kept as it was sent",
    (json) => {
      expect(scopeSchema.parse(json)).toEqual(json);
    },
  );
  test("of 1,001 devices, or of something else, is refused", () => {
    const ids = (count: number) => ({ device_ids: Array.from({ length: count }, (_, index) => `dev_${index}`) });
    expect(refusals(scopeSchema, ids(1000))).toEqual([]);
    expect(refusals(scopeSchema, ids(1001))).toEqual(["device_ids: Ensure this list has no more than 1000 items."]);
    expect(refusals(scopeSchema, [])).toEqual(["Expected an object."]);
    expect(refusals(scopeSchema, { tags: [1] })).toEqual(["tags.0: Not a valid string."]);
  });
  test("without names means all devices, with names those, and tags narrow it", () => {
    expect(inScope(null, device)).toBe(true);
    expect(inScope({}, device)).toBe(true);
    expect(inScope({ device_ids: [], group_ids: [] }, device)).toBe(true);
    expect(inScope({ device_ids: ["dev_2"] }, device)).toBe(false);
    expect(inScope({ device_ids: ["dev_2"], group_ids: ["grp_1"] }, device)).toBe(true);
    expect(inScope({ tags: ["arm", "indoor"] }, device)).toBe(true);
    expect(inScope({ device_ids: ["dev_1"], tags: ["outdoor"] }, device)).toBe(false);
  });
  test("and actions name their references once", () => {
    const actions = actionsSchema.parse(["ch_1", "ch_2", "ch_1"].map((channel_id) => ({ type: "notify", channel_id })));
    expect(listReferences(actions, { device_ids: ["dev_1", "dev_1"], group_ids: ["grp_1"] })).toEqual({
      channelIds: ["ch_1", "ch_2"],
      deviceIds: ["dev_1"],
      groupIds: ["grp_1"],
      pipelineIds: [],
    });
  });
});
