import { describe, expect, test } from "vitest";
import { completeExpression } from "./expression-completion";

const numbers = (...paths: string[]) => paths.map((path) => ({ path, kind: "number", unit: "m" }));
const topics = [
  {
    name: "/odom",
    fields: [...numbers("twist.x", "pose.q.x", "pose.q.y", "pose.q.z", "pose.q.w"), { path: "frame", kind: "string" }],
  },
  { name: "/front-left/imu", fields: numbers("x") },
];
const labels = (text: string, caret = text.length) => completeExpression(text, caret, topics).map(({ label }) => label);

describe("completing an expression", () => {
  test("offers fields of numbers, and functions by their beginning", () => {
    expect(labels("")).toEqual([
      "/odom.twist.x",
      "/odom.pose.q.x",
      "/odom.pose.q.y",
      "/odom.pose.q.z",
      "/odom.pose.q.w",
      "/front-left/imu.x",
    ]);
    expect(labels("1 + /odom.t")).toEqual(["/odom.twist.x"]);
    expect(labels("ra")).toEqual(["rad", "rate"]);
    expect(labels("frame")).toEqual([]);
    expect(labels("/odom.twist.x + ")).toEqual([]);
  });

  test("offers places that hold an orientation where one is taken", () => {
    expect(labels("yaw(")[0]).toBe("/odom.pose.q");
    expect(labels("1 + norm( /od")[0]).toBe("/odom.pose.q");
  });

  test.each([
    ["/odom.twist.x-/front", "/odom.twist.x-/front-left/imu.x"],
    ["/odom.twist.x//front", "/odom.twist.x//front-left/imu.x"],
    ["rate(/front-left/i", "rate(/front-left/imu.x"],
    ["2*med", "2*median("],
  ])("%s becomes %s", (text, expected) => {
    const [first] = completeExpression(text, text.length, topics);
    expect(first).toMatchObject({ text: expected, caret: expected.length });
  });

  test("keeps what stands after the caret", () => {
    expect(completeExpression("rate(/odom.tw) * 2", 13, topics)[0]).toMatchObject({
      text: "rate(/odom.twist.x) * 2",
      caret: 18,
    });
  });
});
