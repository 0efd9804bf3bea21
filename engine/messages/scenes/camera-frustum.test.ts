import { expect, test } from "vitest";
import type { Figures } from "@/engine/messages/scene-object";
import { deservesScene, isLayerSchema } from "@/engine/messages/scene-schemas";
import { readFrustum } from "@/engine/messages/scenes/camera-frustum";

const info = {
  header: { stamp: { sec: 5, nanosec: 7 }, frame_id: "/optical" },
  width: 640,
  height: 480,
  distortion_model: "plumb_bob",
  d: [],
  k: [320, 0, 319.5, 0, 320, 239.5, 0, 0, 1],
};

test("a calibration shows what its camera sees: four edges to the corners of its picture, half a metre ahead", () => {
  const [camera] = readFrustum(info).objects as Figures[];
  expect(camera).toMatchObject({ frame: "optical", stamp: 5_000_000_007n, shapes: [{ kind: "segments" }] });
  const [shape] = camera!.shapes;
  const points = shape?.kind === "segments" ? [...shape.points] : [];
  const ends = Array.from({ length: 4 }, (_, n) => points.slice(n * 6 + 3, n * 6 + 6));
  expect(ends).toEqual([
    [-0.5, -0.375, 0.5],
    [0.5, -0.375, 0.5],
    [0.5, 0.375, 0.5],
    [-0.5, 0.375, 0.5],
  ]);
});

test("it accompanies a scene, and a camera that is not calibrated says so", () => {
  expect([isLayerSchema("sensor_msgs/msg/CameraInfo"), deservesScene("sensor_msgs/msg/CameraInfo")]).toEqual([
    true,
    false,
  ]);
  expect(isLayerSchema("foxglove.CameraCalibration")).toBe(true);
  expect(() => readFrustum({ ...info, k: Array(9).fill(0) })).toThrow("The camera is not calibrated: K[0] is 0.");
});
