import { readCalibration } from "@/engine/messages/pictures/calibration";
import { identity, readFrame } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Colour } from "@/engine/messages/scene-object";

/** How far away the picture of a camera is drawn, in metres. */
const depth = 0.5;
const colour: Colour = [1, 0.6, 0.1, 1];

/** What a camera sees, by its calibration: the edges from it to its picture, with a mark above the picture's top. */
export function readFrustum(value: unknown): SceneMessage {
  const message = readFields(value);
  const { width, height, camera } = readCalibration(message);
  const at = (u: number, v: number) => [
    ((u - camera.cx) * depth) / camera.fx,
    ((v - camera.cy) * depth) / camera.fy,
    depth,
  ];
  const [left, top, right, bottom] = [-0.5, -0.5, width - 0.5, height - 0.5];
  const corners = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
  const mark = [at(width * 0.4, top), at(width * 0.5, top - height * 0.15), at(width * 0.6, top)];
  const lines = [
    ...corners.map((corner) => [[0, 0, 0], corner]),
    ...corners.map((corner, n) => [corner, corners[(n + 1) % 4]!]),
    [mark[0]!, mark[1]!],
    [mark[1]!, mark[2]!],
  ];
  const points = Float32Array.from(lines.flat(2));
  const placed = { frame: readFrame(message), stamp: readStamp(message), isLocked: false };
  const shapes = [{ kind: "segments" as const, pose: identity, colour, points, colours: null }];
  return { objects: [{ kind: "figures", name: "camera", shapes, ...placed }], notes: [] };
}
