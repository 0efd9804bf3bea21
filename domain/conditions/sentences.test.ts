import { describe, expect, test } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { describeHit } from "@/domain/conditions/describe";
import type { JsonValue } from "@/domain/conditions/evidence";
import { roundedText, spanText, subject } from "@/domain/conditions/sentences";

interface Held {
  topic: string;
  value: JsonValue;
  unit?: string;
}
const sentence = (condition: unknown, ...leaves: (Held | null)[]) =>
  describeHit(
    { condition: parseCondition(condition) },
    { evidence: { leaves: leaves.map((leaf) => ({ topic: "", value: null, ...leaf, holds: leaf !== null })) } },
  );

const effort = { type: "threshold", topic: "/joint_states", field: "effort[:]", operator: "gt", value: 55 };
const motor = { type: "threshold", topic: "/motor/state", field: "temperature", operator: "gt", value: 66 };
const efforts = [63.98933175858621, 12, 74.55819631, -80.2];

describe("the sentence of an alert", () => {
  test("names what was measured, the worst value, its unit and the limit", () => {
    expect(
      sentence(
        { type: "composite", operator: "and", conditions: [effort, motor] },
        { topic: "/joint_states", value: efforts },
        { topic: "/motor/state", value: 71.0412, unit: "°C" },
      ),
    ).toBe("Joint effort 74.6 (limit 55) and motor temperature 71 °C (limit 66 °C)");
  });

  test("says how long a value had to hold, and leaves out what did not hold", () => {
    const held = { ...motor, window: "1m30s" };
    const leaves = [{ topic: "/motor/state", value: 85.9808, unit: "°C" }, null];
    expect(sentence({ type: "composite", operator: "or", conditions: [held, effort] }, ...leaves)).toBe(
      "Motor temperature 86 °C (limit 66 °C for 1 min 30 s)",
    );
  });

  test.each([
    [{ ...effort, operator: "lt", value: 20 }, efforts, "Joint effort -80.2 (limit 20)"],
    [{ ...effort, field_mode: "all", value: 10 }, [12, 63.98, 74.55], "Every joint effort 12 to 74.5 (limit 10)"],
    [{ ...effort, field_mode: "max" }, 74.5581, "Highest joint effort 74.6 (limit 55)"],
    [{ ...effort, field_mode: "count", value: 5 }, 6, "Number of joint effort 6 (limit 5)"],
    [{ ...motor, operator: "between", value: [60, 80] }, 71.26, "Motor temperature 71.3 (within 60 to 80)"],
    [{ ...motor, operator: "outside", value: [60, 80] }, 81, "Motor temperature 81 (limits 60 to 80)"],
    [{ ...motor, field: "mode", operator: "eq", value: "ERROR" }, "ERROR", 'Motor mode is "ERROR"'],
    [{ ...motor, field: "mode", operator: "neq", value: "AUTO" }, "MANUAL", 'Motor mode is "MANUAL", not "AUTO"'],
    [{ ...motor, field: "on", operator: "eq", value: true, window: "2s" }, true, "Motor on is true for 2 s"],
    [motor, "81.5", "Motor temperature 81.5 (limit 66)"],
  ])("is plain for %j", (condition, value, text) => {
    expect(sentence(condition, { topic: condition.topic, value })).toBe(text);
  });

  test("quotes the text that a pattern found, not its expression", () => {
    const stop = { type: "pattern", topic: "/diagnostics", field: "status[:].message", regex: "(?i)e-?stop pressed" };
    const value = ["Motor ok", "E-stop pressed by hand"];
    expect(sentence(stop, { topic: "/diagnostics", value })).toBe('Diagnostics status: "E-stop pressed by hand"');
  });

  test("counts messages against what was expected", () => {
    const slow = { type: "frequency", topic: "/camera", count_operator: "lt", count: 25, window: "10s" };
    expect(sentence(slow, { topic: "/camera", value: 17 })).toBe(
      "17 messages on /camera in 10 s (at least 25 expected)",
    );
    expect(sentence(slow, { topic: "/camera", value: 0 })).toBe(
      "No messages on /camera in 10 s (at least 25 expected)",
    );
    const errors = { ...slow, count_operator: "gt", count: 5, field: "level", operator: "gte", value: 2 };
    expect(sentence(errors, { topic: "/camera", value: 6 })).toBe(
      "6 messages on /camera with level >= 2 in 10 s (at most 5 expected)",
    );
  });

  test("says in which direction a value changes", () => {
    const falling = {
      type: "rate",
      topic: "/battery_state",
      field: "voltage",
      operator: "lt",
      value: -0.5,
      over: "5s",
    };
    expect(sentence(falling, { topic: "/battery_state", value: -0.734561, unit: "V" })).toBe(
      "Battery voltage falls 0.735 V per second (limit 0.5 V over 5 s)",
    );
  });
});

test.each([
  ["/motor/state", "temperature", "motor temperature"],
  ["/motor/temp", "data.value", "motor temp"],
  ["/battery/voltage", "voltage", "battery voltage"],
  ["/odom", "twist.twist.linear.x", "odom twist linear x"],
  ["/robot1/imu/data", "linearAcceleration.x", "robot1 IMU linear acceleration x"],
  ["/arm/left/motor", "current[2]", "left motor current[2]"],
  ["/diagnostics", 'status[:].values{key=="temp"}.value', "diagnostics status temp"],
  ["/state", "data", "state"],
])("a field is named by the words of its topic and path: %s %s", (topic, field, name) => {
  expect(subject(topic, field, undefined)).toBe(name);
});

test("a value is rounded, yet never to the other side of its limit", () => {
  expect(roundedText(85.9808, [80])).toBe("86");
  expect(roundedText(80.0004, [80])).toBe("80.0004");
  expect(roundedText(0.123456, [])).toBe("0.123");
  expect(roundedText(123456, [100])).toBe("123456");
  expect(roundedText(12345.678, [100])).toBe("12346");
});

test("a duration is written with spaces", () => {
  expect(["500ms", "1.5h", "1d2h"].map(spanText)).toEqual(["500 ms", "1.5 h", "1 d 2 h"]);
});
