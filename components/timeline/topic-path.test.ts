import { expect, test } from "vitest";
import { parsePath, formatPath, searchPaths } from "./topic-path";

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

test("a topic with dots in its name wins over a shorter one", () => {
  expect(parsePath("/motor.state.value", topics)).toEqual({ topic: "/motor.state", field: "value" });
});

test("an unknown path is null", () => {
  expect(parsePath("/scan.ranges[9]", topics)).toBeNull();
  expect(parsePath("scan", topics)).toBeNull();
});

test("a search finds by several words in any order", () => {
  expect(searchPaths(topics, "ranges scan").map(formatPath)).toEqual(["/scan.ranges[0]"]);
});
