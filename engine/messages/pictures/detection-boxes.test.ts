import { expect, test } from "vitest";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import { CameraView } from "@/engine/messages/pictures/camera-model";
import { projectBoxes, readBoxes, readDetectionBoxes } from "@/engine/messages/pictures/detection-boxes";
import { isBoxSchema } from "@/engine/messages/pictures/overlay-schemas";
import { identity } from "@/engine/messages/pose";
import { isLayerSchema } from "@/engine/messages/scene-schemas";

const k = [80, 0, 79.5, 0, 80, 59.5, 0, 0, 1];
const view = new CameraView(
  readCalibration({ width: 160, height: 120, k, d: [], distortion_model: "plumb_bob" }),
  false,
);
const vector = (x = 0, y = 0, z = 0) => ({ x, y, z });
const unturned = { x: 0, y: 0, z: 0, w: 1 };

/** A box of 2 × 1 × 4 m whose near side is 3 m ahead of a camera. */
const detection = (change: object = {}) => ({
  bbox: { center: { position: vector(0, 0, 5), orientation: unturned }, size: vector(2, 1, 4) },
  results: [{ hypothesis: { class_id: "cart", score: 0.2 } }, { hypothesis: { class_id: "pallet", score: 0.875 } }],
  ...change,
});
const message = (...detections: object[]) => ({
  header: { stamp: { sec: 5, nanosec: 7 }, frame_id: "/lidar" },
  detections,
});

test("boxes in space are drawn in 3-D and over pictures, whatever the package's form of the name", () => {
  for (const name of ["vision_msgs/Detection3DArray", "vision_msgs/msg/Detection3DArray"]) {
    expect(isBoxSchema(name)).toBe(true);
    expect(isLayerSchema(name)).toBe(true);
  }
  expect(isBoxSchema("vision_msgs/Detection2DArray")).toBe(false);
});

test("a box has twelve edges where the camera sees its corners, and its likeliest class with the score", () => {
  const { shapes, stamp, notes } = projectBoxes(readBoxes(message(detection())), identity, view);
  expect(stamp).toBe(5_000_000_007n);
  expect(notes).toEqual([]);
  const lines = shapes.flatMap((shape) => (shape.kind === "path" ? [shape.points] : []));
  expect(lines).toHaveLength(12);
  const ends = new Set(
    lines.flatMap((points) => [points[0]!, points.at(-1)!]).map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`),
  );
  // Half of 2 m, 3 and 7 m ahead: 80 ÷ 3 and 80 ÷ 7 pixels from the middle of the picture, which is at 80, 60.
  const corners = [3, 7].flatMap((ahead) =>
    [-1, 1].flatMap((x) => [-0.5, 0.5].map((y) => [80 + (80 * x) / ahead, 60 + (80 * y) / ahead])),
  );
  expect(ends).toEqual(new Set(corners.map((corner) => corner.map((part) => part.toFixed(2)).join(" "))));
  expect(shapes.at(-1)).toMatchObject({
    kind: "text",
    text: "pallet 0.88",
    at: { x: expect.closeTo(80 - 80 / 3, 6) as number },
  });
});

test("of a box that the camera stands in, only what is ahead is drawn; of one behind it, nothing", () => {
  const around = detection({
    bbox: { center: { position: vector(0, 0, 1), orientation: unturned }, size: vector(2, 2, 4) },
  });
  const seen = projectBoxes(readBoxes(message(around)), identity, view).shapes.filter(({ kind }) => kind === "path");
  // The far side, and of the edges along the way what is ahead.
  expect(seen).toHaveLength(8);
  const behind = detection({
    bbox: { center: { position: vector(0, 0, -9), orientation: unturned }, size: vector(2, 2, 4) },
  });
  expect(projectBoxes(readBoxes(message(behind)), identity, view).shapes).toEqual([]);
});

test("in a 3-D scene a box is a cube with its text above; older versions call the class id, and nowhere is counted", () => {
  const old = detection({ results: [{ id: 7, score: 0.5 }] });
  const nowhere = detection({
    bbox: { center: { position: vector(Number.NaN), orientation: unturned }, size: vector(1, 1, 1) },
  });
  const { objects, notes } = readDetectionBoxes(message(old, nowhere));
  expect(objects).toMatchObject([
    {
      kind: "figures",
      frame: "lidar",
      stamp: 5_000_000_007n,
      shapes: [
        { kind: "cube", pose: { position: [0, 0, 5] }, size: [2, 1, 4] },
        { kind: "text", text: "7 0.50", pose: { position: [0, 0, expect.closeTo(7.15, 6) as number] } },
      ],
    },
  ]);
  expect(notes).toEqual(["1 pose that is no number"]);
});
