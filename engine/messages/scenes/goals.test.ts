import { expect, test } from "vitest";
import { UnreadableMessage } from "@/engine/messages/reading";
import { isGoalSchema, readGoals } from "@/engine/messages/scenes/goals";

const uuid = Uint8Array.from([0xab, 1, 2, 0xff, 9, 9]);

test("goals of ROS 2 have the beginning of their identity and their status in words", () => {
  const goal = (status: number, bytes: unknown) => ({ goal_info: { goal_id: { uuid: bytes } }, status });
  const base64 = { $bytes: true, length: 6, base64: Buffer.from(uuid).toString("base64") };
  const list = [goal(2, uuid), goal(4, [...uuid]), goal(6, base64), goal(42, undefined)];
  expect(readGoals("action_msgs/msg/GoalStatusArray", { status_list: list })).toEqual([
    { id: "ab0102ff", status: "executing", text: "" },
    { id: "ab0102ff", status: "succeeded", text: "" },
    { id: "ab0102ff", status: "aborted", text: "" },
    { id: "", status: "42", text: "" },
  ]);
});

test("goals of ROS 1 have other numbers, and a text", () => {
  const status_list = [{ goal_id: { id: "/move-1" }, status: 4, text: "Blocked" }];
  expect(readGoals("actionlib_msgs/GoalStatusArray", { status_list })).toEqual([
    { id: "/move-1", status: "aborted", text: "Blocked" },
  ]);
});

test("no goals are an empty list; what is no list is refused", () => {
  expect(readGoals("action_msgs/msg/GoalStatusArray", { status_list: [] })).toEqual([]);
  expect(() => readGoals("action_msgs/msg/GoalStatusArray", { status_list: 5 })).toThrow(UnreadableMessage);
  expect(["action_msgs/msg/GoalStatusArray", "actionlib_msgs/GoalStatusArray", "pkg/Goals"].map(isGoalSchema)).toEqual([
    true,
    true,
    false,
  ]);
});
