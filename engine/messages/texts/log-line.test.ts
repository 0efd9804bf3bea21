import { expect, test } from "vitest";
import { UnreadableMessage } from "@/engine/messages/reading";
import { isLogSchema, readLogLine } from "@/engine/messages/texts/log-line";

test.each([
  ["rosgraph_msgs/Log", [1, 2, 4, 8, 16]],
  ["rcl_interfaces/msg/Log", [10, 20, 30, 40, 50]],
  ["foxglove.Log", [1, 2, 3, 4, 5]],
])("the levels of %s are %j", (schema, levels) => {
  expect(levels.map((level) => readLogLine(schema, { level }).level)).toEqual([
    "debug",
    "info",
    "warning",
    "error",
    "fatal",
  ]);
  expect(readLogLine(schema, { level: 99 }).level).toBeNull();
});

test("levels may be names, as enums of JSON are", () => {
  expect(readLogLine("foxglove.Log", { level: "WARNING" }).level).toBe("warning");
  expect(readLogLine("foxglove.Log", { level: "UNKNOWN" }).level).toBeNull();
});

test("texts lose what only terminals understand", () => {
  const line = { level: 20, msg: "\u001b[31mtoo \u001b[0;1mhot\u001b[0m\0", name: "/motor" };
  expect(readLogLine("rcl_interfaces/msg/Log", line)).toEqual({ level: "info", text: "too hot", node: "/motor" });
  const link = "\u001b]8;;http://a.test\u0007see\u001b]8;;\u0007 here";
  const title = "\u001b]0;title\u001b\\\u001b[2K\u001b(Bdone\u001b[38:5:196m";
  expect(readLogLine("foxglove.Log", { message: link }).text).toBe("see here");
  expect(readLogLine("foxglove.Log", { message: title }).text).toBe("done");
  expect(readLogLine("foxglove.Log", { level: 2, message: "<b>&amp;" }).text).toBe("<b>&amp;");
});

test("a message without fields is refused, one without texts is empty", () => {
  expect(() => readLogLine("foxglove.Log", 3)).toThrow(UnreadableMessage);
  expect(readLogLine("foxglove.Log", {})).toEqual({ level: null, text: "", node: "" });
});

test.each([
  ["rcl_interfaces/msg/Log", true],
  ["foxglove_msgs/msg/Log", true],
  ["my_msgs/msg/Log", false],
])("%s is a log: %s", (schema, isLog) => {
  expect(isLogSchema(schema)).toBe(isLog);
});
