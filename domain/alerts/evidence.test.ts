import { describe, expect, test } from "vitest";
import { readEvidence } from "@/domain/alerts/evidence";

const leaf = {
  path: "conditions.0",
  type: "threshold",
  topic: "/motor",
  field: "temp",
  holds: true,
  value: [81, "NaN"],
  value_at: "1760000003000000000",
  operator: "gt",
  threshold: 80,
  window: "10s",
  samples: [["1760000003000000000", 81]],
};
const rule = { rule_version: 3, topic: "/motor", window: "10s", leaves: [leaf], suppressed: 2, storm: false };

describe("what an alert was raised for", () => {
  test("by a rule keeps its conditions, and leaves out what else is stored beside them", () => {
    expect(readEvidence({ ...rule, condition: "/motor temp > 80", recording_id: "rec_1" })).toEqual({
      kind: "rule",
      ...rule,
    });
  });

  test("reads rows of versions that wrote fewer members", () => {
    const { rule_version: _, suppressed: __, storm: ___, window: ____, ...early } = rule;
    const evidence = readEvidence({ ...early, leaves: [{ topic: "/motor", field: "temp", holds: true, value: 81 }] });
    expect(evidence).toMatchObject({ kind: "rule", suppressed: 0, storm: false, window: null });
    expect(evidence.kind === "rule" && evidence.leaves).toEqual([
      { ...leaf, path: "", value: 81, value_at: null, operator: null, threshold: null, window: null, samples: [] },
    ]);
  });

  test("by a silent device or as a test is recognized by its kind", () => {
    const silence = { kind: "heartbeat", last_seen_at: "2026-11-20T09:15:00.123Z", offline_after_seconds: 90 };
    expect(readEvidence({ ...silence, rule_version: 1 })).toEqual({ ...silence, rule_version: 1 });
    expect(readEvidence(silence)).toEqual({ ...silence, rule_version: 0 });
    expect(readEvidence({ kind: "test" })).toEqual({ kind: "test" });
  });

  test.each([
    [{ value: 91.5 }],
    [{}],
    [{ ...rule, leaves: [{ ...leaf, type: "of-tomorrow" }] }],
    [{ ...rule, leaves: ["?"] }],
    [{ kind: "heartbeat" }],
    [{ kind: "of-tomorrow", speed: 3 }],
  ])("of another form is kept as it is: %j", (values) => {
    expect(readEvidence(values)).toEqual({ kind: "other", values });
  });
});
