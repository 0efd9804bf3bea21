import { expect, test } from "vitest";
import { findUnreadTopic, parsePath, formatPath, searchPaths } from "./topic-path";

const topics = [
  { name: "/motor", fields: [{ path: "state.value", kind: "number" }] },
  { name: "/motor.state", fields: [{ path: "value", kind: "number" }] },
  { name: "/scan", fields: [{ path: "ranges[0]", kind: "number" }] },
  { name: "/list", fields: [{ path: "[2].x", kind: "number" }] },
];

test("every path that is written can be read again", () => {
  for (const { name, fields } of topics.slice(1)) {
    for (const { path } of fields)
      expect(parsePath(formatPath({ topic: name, field: path }), topics)).toEqual({ topic: name, field: path });
  }
});

test("keys may be quoted where they need not be", () => {
  expect(parsePath('/motor["state"].value', topics)).toEqual({ topic: "/motor", field: "state.value" });
});

test("a topic with dots in its name wins over a shorter one", () => {
  expect(parsePath("/motor.state.value", topics)).toEqual({ topic: "/motor.state", field: "value" });
});

test("an unknown path is null", () => {
  expect(parsePath("/scan.ranges[9]", topics)).toBeNull();
  expect(parsePath("scan", topics)).toBeNull();
});

test("a path leads to the topic whose messages cannot be decoded, not to a shorter one that begins alike", () => {
  const read = topics.map((topic) => ({ ...topic, error: topic.name === "/motor.state" ? "It is cut off." : null }));
  expect(findUnreadTopic("/motor.state.anything", read)).toMatchObject({
    name: "/motor.state",
    error: "It is cut off.",
  });
  expect(findUnreadTopic("/motor.other", read)).toBeNull();
  expect(findUnreadTopic("/none.x", read)).toBeNull();
});

test("a search finds by several words in any order", () => {
  expect(searchPaths(topics, "ranges scan").map(formatPath)).toEqual(["/scan.ranges[0]"]);
});
