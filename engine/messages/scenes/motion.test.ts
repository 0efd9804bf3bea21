import { expect, test } from "vitest";
import { rotate } from "@/engine/messages/pose";
import type { Figures } from "@/engine/messages/scene-object";
import { deservesScene, isLayerSchema } from "@/engine/messages/scene-schemas";
import { readAcceleration, readTwist, readWrench } from "@/engine/messages/scenes/motion";

const header = { stamp: { sec: 1, nanosec: 0 }, frame_id: "base_link" };
const vector = (x = 0, y = 0, z = 0) => ({ x, y, z });
/** Where the arrows of a message end. */
const listTips = (message: { objects: unknown[] }) =>
  (message.objects[0] as Figures).shapes.map((shape) => {
    if (shape.kind !== "arrow") throw new Error(`a ${shape.kind}`);
    const tip = rotate(shape.pose.orientation, [shape.shaft[0] + shape.head[0], 0, 0]);
    return tip.map((part) => Math.round(part * 1e6) / 1e6 + 0);
  });

test("speeds, accelerations and forces are arrows along and around them, by their scale", () => {
  const twist = { linear: vector(2), angular: vector(0, 0, -1) };
  expect(listTips(readTwist({ header, twist }))).toEqual([
    [2, 0, 0],
    [0, 0, -1],
  ]);
  expect(listTips(readTwist({ header, twist: { twist, covariance: [] } }))).toHaveLength(2);
  expect(listTips(readAcceleration({ header, accel: { linear: vector(0, 9.8), angular: vector() } }))).toEqual([
    [0, 0.98, 0],
  ]);
  expect(listTips(readWrench({ header, wrench: { force: vector(0, 0, 50), torque: vector(3) } }))).toEqual([
    [0, 0, 5],
    [0.3, 0, 0],
  ]);
});

test("what is zero has no arrow and says so, what is no number is refused", () => {
  expect(readTwist({ header, twist: {} }).notes).toEqual(["both vectors are zero"]);
  expect(() => readTwist({ header, twist: { linear: vector(Infinity) } })).toThrow("not a finite number");
});

test("they accompany a scene, and are no reason for one", () => {
  expect([isLayerSchema("geometry_msgs/msg/WrenchStamped"), deservesScene("geometry_msgs/msg/WrenchStamped")]).toEqual([
    true,
    false,
  ]);
});
