import { expect, test } from "vitest";
import { findConstantPrefix, hasStates, listStateFields } from "./state-fields";

test("states are truths, texts, enums, and numbers that are named as states", () => {
  const kinds = [
    ["gate", "boolean"],
    ["goal_state.label", "string"],
    ["goal_state.id", "enum"],
    ["mode", "number"],
    ["drive.control_mode", "number"],
    ["status_list[0].status", "number"],
    ["voltage", "number"],
    ["model", "number"],
    ["statement", "number"],
    ["stamp", "time"],
  ];
  const fields = kinds.map(([path = "", kind = ""]) => ({ path, kind }));
  expect(listStateFields([{ name: "/t", schema: "", fields }]).map(({ field }) => field)).toEqual([
    "gate",
    "goal_state.label",
    "goal_state.id",
    "mode",
    "drive.control_mode",
    "status_list[0].status",
  ]);
});

test("the parameters of a log of PX4 that change are states, whatever their names", () => {
  const fields = [{ path: "MPC_XY_P", kind: "number" }];
  const topic = { name: "parameters", schema: "px4/msg/parameters", fields };
  expect(listStateFields([topic, { ...topic, schema: "pkg/msg/Gains" }])).toEqual([
    { topic: "parameters", field: "MPC_XY_P" },
  ]);
});

test("constants differ by what follows their common beginning", () => {
  const prefix = "POWER_SUPPLY_STATUS_";
  expect(findConstantPrefix([`${prefix}FULL`, `${prefix}CHARGING`, `${prefix}NOT_CHARGING`])).toBe(prefix);
  expect(findConstantPrefix(["MODE_A_ON", "MODE_A_OFF"])).toBe("MODE_A_");
  // A name that is only the beginning needs it.
  expect(findConstantPrefix(["MODE_", "MODE_A"])).toBe("");
  expect([[], ["MODE_A"], ["OK", "WARN"]].map(findConstantPrefix)).toEqual(["", "", ""]);
});

test("goals of actions and batteries are states without a field of their own", () => {
  const schemas = ["action_msgs/msg/GoalStatusArray", "sensor_msgs/msg/BatteryState", "pkg/msg/Speed"];
  expect(schemas.map((schema) => hasStates([{ name: "/t", schema, fields: [] }]))).toEqual([true, true, false]);
  expect(hasStates([{ name: "/t", schema: "", fields: [{ path: "on", kind: "boolean" }] }])).toBe(true);
});
