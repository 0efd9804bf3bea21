import { describe, expect, test } from "vitest";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import { CameraView, projectEdge } from "@/engine/messages/pictures/camera-model";
import type { Vector } from "@/engine/messages/pose";

const rotation = [
  0.9993500758297945, -0.020145316160805754, -0.029893012156105903, 0.01984535115917247, 0.9997500291653056,
  -0.010297631831627843, 0.030092988823861425, 0.00969770182836127, 0.9995000583306112,
];
const info = {
  width: 640,
  height: 480,
  k: [500, 0, 320.5, 0, 510, 239.25, 0, 0, 1],
  r: rotation,
  p: [480, 0, 310, 0, 0, 480, 245, 0, 0, 0, 1, 0],
};
const places: readonly Vector[] = [
  [0, 0, 2],
  [0.5, -0.25, 2],
  [-1, 0.6, 2.5],
  [1.2, 0.9, 3],
  [-0.1, -0.7, 1.1],
  [3, 1, 4],
];

const look = (camera: CameraView, [x, y, z]: Vector): [number, number] | null =>
  camera.project(x, y, z) ? [camera.u, camera.v] : null;

/** By OpenCV 5.0: `projectPoints`, and `fisheye.projectPoints` for kannala_brandt. */
const byOpenCv = {
  plumb_bob: {
    d: [-0.28, 0.07, 0.0012, -0.0008, 0.01],
    seen: [
      [320.5, 239.25],
      [442.700877, 176.959428],
      [131.671857, 354.892726],
      [507.32225, 382.398521],
      [279.6268, -51.151588],
      [640.569434, 348.541107],
    ],
  },
  rational_polynomial: {
    d: [0.35, -0.12, 0.0004, 0.0009, 0.02, 0.6, -0.05, 0.01],
    seen: [
      [320.5, 239.25],
      [443.195688, 176.709066],
      [130.91564, 355.379945],
      [509.171208, 383.548411],
      [279.460793, -55.013326],
      [646.335531, 350.065956],
    ],
  },
  kannala_brandt: {
    d: [-0.02, 0.004, -0.003, 0.0006],
    seen: [
      [320.5, 239.25],
      [442.210803, 177.177491],
      [134.054307, 353.354764],
      [505.190676, 380.538367],
      [280.352422, -47.403705],
      [635.153962, 346.232347],
    ],
  },
} as const;

describe("places are seen where OpenCV says", () => {
  test.each(Object.entries(byOpenCv))("%s", (distortion_model, { d, seen }) => {
    const camera = new CameraView(readCalibration({ ...info, distortion_model, d }), false);
    for (const [n, place] of places.entries())
      expect(look(camera, place)).toEqual(seen[n]!.map((part) => expect.closeTo(part, 5)));
  });

  test("also in the rectified picture, turned by R and through P", () => {
    const { d } = byOpenCv.plumb_bob;
    const camera = new CameraView(readCalibration({ ...info, distortion_model: "plumb_bob", d }), true);
    // OpenCV's undistortPoints of what its projectPoints gave.
    const seen = [
      [295.644177, 240.054664],
      [416.165146, 182.814941],
      [99.30444, 352.515634],
      [482.138397, 385.797081],
    ];
    for (const [n, wanted] of seen.entries())
      // It goes back through the lens in few steps.
      expect(look(camera, places[n]!)).toEqual(wanted.map((part) => expect.closeTo(part, 1)));
  });
});

test("what is beside or behind the camera is not seen", () => {
  const camera = new CameraView(readCalibration({ ...info, distortion_model: "plumb_bob", d: [] }), false);
  expect(look(camera, [0, 0, -2])).toBeNull();
  expect(look(camera, [0, 0, 0])).toBeNull();
  expect(look(camera, [Number.NaN, 0, 1])).toBeNull();
  const isInside = (place: Vector) => look(camera, place) !== null && camera.isInside;
  expect(isInside([0, 0, 2])).toBe(true);
  expect(isInside([2, 0, 2])).toBe(false);
  // The edges of the first and the last pixel: half a pixel from their middles.
  const at = (u: number): Vector => [(u - 320.5) / 500, 0, 1];
  expect([-0.51, -0.49, 639.49, 639.51].map((u) => isInside(at(u)))).toEqual([false, true, true, false]);
});

test.each([
  // 1 − 0.3 r² turns back at r = √(1 ÷ 0.9) = 1.054.
  ["plumb_bob", [-0.3, 0, 0, 0, 0], 1.05, 1.06],
  // θ − 0.5 θ³ turns back at θ = √(2 ÷ 3) = 0.8165, whose tangent is 1.0655.
  ["kannala_brandt", [-0.5, 0, 0, 0], 1.06, 1.07],
])("where the polynomial of %s turns back, nothing is seen", (distortion_model, d, within, beyond) => {
  const camera = new CameraView(readCalibration({ ...info, distortion_model, d }), false);
  expect(look(camera, [within, 0, 1])).not.toBeNull();
  expect(look(camera, [beyond, 0, 1])).toBeNull();
  // Far out the polynomial would lead into the picture again.
  expect(look(camera, [1.8, 0, 1])).toBeNull();
});

test("an edge is seen up to where it passes the camera, bent as the lens bends it", () => {
  const { d } = byOpenCv.plumb_bob;
  const camera = new CameraView(readCalibration({ ...info, distortion_model: "plumb_bob", d }), false);
  const whole = projectEdge(camera, [-1, 0.6, 2.5], [1.2, 0.9, 3]);
  expect(whole[0]?.[0]).toEqual([expect.closeTo(131.671857, 5), expect.closeTo(354.892726, 5)]);
  expect(whole.at(-1)?.[1]).toEqual([expect.closeTo(507.32225, 5), expect.closeTo(382.398521, 5)]);
  const [[fromX, fromY], [x, y], [toX, toY]] = [
    whole[0]![0]!,
    whole[whole.length / 2]![0]!,
    whole.at(-1)![1]!,
  ] as const;
  const straight = fromY + ((toY - fromY) * (x - fromX)) / (toX - fromX);
  expect(y - straight).toBeGreaterThan(3);
  const passing = projectEdge(camera, [0, 0, 2], [0, 0, -2]);
  expect(passing.length).toBeGreaterThan(3);
  expect(passing.length).toBeLessThan(whole.length);
  expect(projectEdge(camera, [0, 0, -1], [1, 0, -2])).toEqual([]);
});
