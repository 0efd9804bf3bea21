import { calibrations, pictureSize } from "@/server/demo/scene";
import type { RobotKind } from "@/server/demo/story";

/** The body of a camera's calibration: a pinhole without distortion, which is how its pictures are drawn. */
export function describeCamera(robot: RobotKind): object {
  const { fx, fy, cx, cy } = calibrations[robot === "drone" ? "ground" : "hall"];
  return {
    ...pictureSize,
    distortion_model: "plumb_bob",
    d: [0, 0, 0, 0, 0],
    k: [fx, 0, cx, 0, fy, cy, 0, 0, 1],
    r: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    p: [fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0],
    binning_x: 0,
    binning_y: 0,
    roi: { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false },
  };
}
