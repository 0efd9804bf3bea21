import { expect, test } from "vitest";
import { rankPositionSchema, readPosition } from "@/engine/messages/positions/position";

const position = { x: 1.5, y: -2, z: 0.25 };

test.each([
  ["a pose", { header: { frame_id: "map" }, pose: { position } }],
  ["odometry", { header: { frame_id: "map" }, pose: { pose: { position }, covariance: [] } }],
  ["a pose in a frame", { frame_id: "map", pose: { position } }],
])("the position of %s is read with its frame", (_name, message) => {
  expect(readPosition(message)).toEqual({ frame: "map", ...position });
});

test("what is left out is 0, and a frame that is not named is empty", () => {
  expect(readPosition({ pose: { position: { x: 3 } } })).toEqual({ frame: "", x: 3, y: 0, z: 0 });
});

test.each([
  ["no pose", {}, "The message is not an object."],
  ["no position", { pose: {} }, "The message is not an object."],
  ["a text", { pose: { position: { x: "far" } } }, 'The field "x" is not a number.'],
  ["something infinite", { pose: { position: { x: Infinity } } }, "Infinity, 0, 0 is no position."],
])("%s is refused", (_name, message, reason) => {
  expect(() => readPosition(message)).toThrow(reason);
});

test("odometry comes before a pose, which may be a goal", () => {
  expect(rankPositionSchema("nav_msgs/msg/Odometry")).toBeLessThan(rankPositionSchema("geometry_msgs/PoseStamped")!);
  expect(rankPositionSchema("sensor_msgs/Image")).toBeNull();
});
