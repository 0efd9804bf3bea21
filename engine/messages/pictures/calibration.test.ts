import { describe, expect, test } from "vitest";
import { isCalibrationSchema, readCalibration } from "@/engine/messages/pictures/calibration";
import { Lens, type Calibration } from "@/engine/messages/pictures/camera-model";
import { createRectifyMap, rectifyPixels } from "@/engine/messages/pictures/rectify";

const k = [100, 0, 31.5, 0, 110, 23.5, 0, 0, 1];
const p = [90, 0, 31.5, 0, 0, 95, 23.5, 0, 0, 0, 1, 0];
const r = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const info = { width: 64, height: 48, distortion_model: "plumb_bob", d: [-0.3, 0.1, 0.001, -0.002, 0], k, r, p };

test.each([
  ["sensor_msgs/msg/CameraInfo", true],
  ["sensor_msgs/CameraInfo", true],
  ["foxglove.CameraCalibration", true],
  ["foxglove_msgs/msg/CameraCalibration", true],
  ["sensor_msgs/Image", false],
])("messages of %s calibrate a camera: %s", (schema, is) => {
  expect(isCalibrationSchema(schema)).toBe(is);
});

test("a calibration of ROS 1 and of foxglove, in capital letters, is the same as one of ROS 2", () => {
  const { d, k: K, r: R, p: P, ...rest } = info;
  expect(readCalibration({ ...rest, D: d, K, R, P })).toEqual(readCalibration(info));
});

test("K of zeros is not calibrated, and what is not known says so", () => {
  expect(() => readCalibration({ ...info, k: Array(9).fill(0) })).toThrow("The camera is not calibrated: K[0] is 0.");
  expect(() => readCalibration({ ...info, distortion_model: "tsai" })).toThrow(
    'The distortion model "tsai" is not known.',
  );
  expect(() => readCalibration({ ...info, d: [Number.NaN] })).toThrow('"d" holds values that are no numbers');
});

const look = (calibration: Calibration, x: number, y: number): [number, number] => {
  const lens = new Lens(calibration);
  lens.look(x, y);
  return [lens.u, lens.v];
};

/** What OpenCV's manual says of a pinhole with a distorted lens, written down once more. */
function projectByManual(
  x: number,
  y: number,
  [k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0, k4 = 0, k5 = 0, k6 = 0]: number[],
) {
  const r2 = x ** 2 + y ** 2;
  const bend = (1 + k1 * r2 + k2 * r2 ** 2 + k3 * r2 ** 3) / (1 + k4 * r2 + k5 * r2 ** 2 + k6 * r2 ** 3);
  const bentX = x * bend + 2 * p1 * x * y + p2 * (r2 + 2 * x ** 2);
  const bentY = y * bend + p1 * (r2 + 2 * y ** 2) + 2 * p2 * x * y;
  return [k[0]! * bentX + k[2]!, k[4]! * bentY + k[5]!];
}

describe("a direction is seen where the lens bends it to", () => {
  const directions = [0, 0.1, -0.27].flatMap((x) => [0, 0.05, -0.2].map((y) => [x, y] as const));
  test.each([
    ["plumb_bob", [-0.3, 0.1, 0.001, -0.002, 0.05]],
    ["rational_polynomial", [-0.3, 0.1, 0.001, -0.002, 0.05, 0.2, 0.1, 0.01]],
    ["", []],
  ])("%s", (distortion_model, d) => {
    const calibration = readCalibration({ ...info, distortion_model, d });
    for (const [x, y] of directions) {
      const [u, v] = look(calibration, x, y);
      const [wantedU, wantedV] = projectByManual(x, y, d);
      expect([u, v]).toEqual([expect.closeTo(wantedU!, 9), expect.closeTo(wantedV!, 9)]);
    }
  });

  test.each(["equidistant", "kannala_brandt"])("%s", (distortion_model) => {
    const d = [0.1, -0.02, 0.003, -0.0004];
    const calibration = readCalibration({ ...info, distortion_model, d });
    for (const [x, y] of directions) {
      const theta = Math.atan(Math.hypot(x, y));
      const bent = theta * (1 + d[0]! * theta ** 2 + d[1]! * theta ** 4 + d[2]! * theta ** 6 + d[3]! * theta ** 8);
      const part = Math.hypot(x, y) === 0 ? 1 : bent / Math.hypot(x, y);
      const [u, v] = look(calibration, x, y);
      expect([u, v]).toEqual([expect.closeTo(100 * x * part + 31.5, 9), expect.closeTo(110 * y * part + 23.5, 9)]);
    }
  });
});

test("without distortion a rectified picture is the picture", () => {
  const plain = readCalibration({ ...info, d: [], p: [] });
  const from = Uint8ClampedArray.from({ length: 64 * 48 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 7) % 251));
  const into = new Uint8ClampedArray(from.length);
  rectifyPixels(createRectifyMap(plain, 64, 48), from, into, 64, 48);
  expect(Buffer.from(into).equals(Buffer.from(from))).toBe(true);
});

test("each pixel of a rectified picture comes from where its direction is seen, turned by R", () => {
  const angle = 0.05;
  const turned = [Math.cos(angle), 0, -Math.sin(angle), 0, 1, 0, Math.sin(angle), 0, Math.cos(angle)];
  const calibration = readCalibration({ ...info, r: turned });
  const map = createRectifyMap(calibration, 64, 48);
  const [u, v] = [20, 30];
  const [x, y] = [(u - 31.5) / 90, (v - 23.5) / 95];
  // R takes directions of the camera to rectified ones, so that its transpose takes them back.
  const back = [turned[0]! * x + turned[6]!, y, turned[2]! * x + turned[8]!];
  const wanted = projectByManual(back[0]! / back[2]!, back[1]! / back[2]!, info.d);
  expect(map[2 * (v * 64 + u)]).toBeCloseTo(wanted[0]!, 3);
  expect(map[2 * (v * 64 + u) + 1]).toBeCloseTo(wanted[1]!, 3);
});

test("a picture of another size is refused with both sizes", () => {
  expect(() => createRectifyMap(readCalibration(info), 32, 24)).toThrow("calibrated for 64×48, the picture is 32×24");
});

test("a picture that joins pixels, or is a part of the sensor, has a calibration of its own", () => {
  const binned = readCalibration({ ...info, binning_x: 2, binning_y: 2 });
  expect(binned).toMatchObject({ width: 32, height: 24, camera: { fx: 50, fy: 55, cx: 15.75, cy: 11.75 } });
  const roi = { x_offset: 10, y_offset: 4, width: 40, height: 30, do_rectify: true };
  const part = readCalibration({ ...info, roi });
  expect(part).toMatchObject({
    width: 40,
    height: 30,
    camera: { fx: 100, cx: 21.5, cy: 19.5 },
    rectified: { cx: 21.5 },
  });
});
