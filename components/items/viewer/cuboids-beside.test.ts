import { describe, expect, test } from "vitest";
import { seeCuboids, type CalibratedPicture } from "./cuboids-beside";
import type { ItemShape } from "./shapes";

const calibration = {
  width: 640,
  height: 480,
  distortion_model: "plumb_bob",
  d: [0, 0, 0, 0, 0],
  k: [400, 0, 319.5, 0, 400, 239.5, 0, 0, 1],
};
/** A camera that looks along the x axis of what it is seen from, a metre above it. */
const ahead = { position: [0, 0, 1], orientation: [-0.5, 0.5, -0.5, 0.5] };
const front: CalibratedPicture = { camera: "/front/image", width: 640, height: 480, calibration, pose: ahead };

const cuboid = (center: readonly number[], size: readonly number[] = [2, 2, 2]): ItemShape => ({
  id: center.join(" "),
  label: "robot",
  type: "cuboid",
  coordinates: { center, size, rotation: [0, 0, 0, 1] },
  attributes: {},
  colour: "#0891b2",
  run: null,
  score: null,
  frame: null,
});

/** The edges of what is drawn, in pixels; null where nothing is. */
function bounds(shape: ItemShape, cloud: unknown = null, picture = front) {
  const seen = seeCuboids([shape], cloud, picture);
  if (!Array.isArray(seen)) throw new Error(`not seen: ${seen}`);
  const [first] = seen;
  if (!first) return null;
  const numbers = [...first.path.matchAll(/-?[\d.]+/g)].map(Number);
  const [us, vs] = [numbers.filter((_, at) => at % 2 === 0), numbers.filter((_, at) => at % 2 === 1)];
  return { left: Math.min(...us), right: Math.max(...us), top: Math.min(...vs), bottom: Math.max(...vs) };
}

describe("the cuboids of a cloud in a picture of its time", () => {
  test("are where the camera sees them: their near side is largest", () => {
    // From 9 to 11 m ahead, from 0 to 2 m high: at 9 m a metre is 400 / 9 pixels.
    expect(bounds(cuboid([10, 0, 1]))).toEqual({ left: 275.6, right: 364.4, top: 195.6, bottom: 284.4 });
    // To the left, which is y.
    expect(bounds(cuboid([10, 2, 1]))?.right).toBeLessThan(320);
  });

  test("follow the place of the cloud in the frame that both are seen from", () => {
    const seen = bounds(cuboid([10, 0, 1]));
    const map = { frame_id: "map", position: [100, 50, 0], orientation: [0, 0, 0, 1] };
    const moved = { ...ahead, frame_id: "map", position: [100, 50, 1] };
    expect(bounds(cuboid([10, 0, 1]), map, { ...front, pose: moved })).toEqual(seen);
    const raised = { ...map, position: [100, 50, 2] };
    expect(bounds(cuboid([10, 0, -1]), raised, { ...front, pose: moved })).toEqual(seen);
    const elsewhere = { ...map, frame_id: "odom" };
    expect(seeCuboids([cuboid([10, 0, 1])], elsewhere, { ...front, pose: moved })).toBe(
      "The place of the camera is not known.",
    );
  });

  test("are bent as the lens bends, and not in rectified pictures", () => {
    const bent = { ...front, calibration: { ...calibration, d: [0.2, 0, 0, 0, 0] } };
    const straight = bounds(cuboid([4, 0, 1]))?.right ?? 0;
    expect(bounds(cuboid([4, 0, 1]), null, bent)?.right).toBeGreaterThan(straight + 1);
    expect(bounds(cuboid([4, 0, 1]), null, { ...bent, camera: "/front/image_rect" })?.right).toBe(straight);
  });

  test("are not drawn behind the camera, beside the picture or of other shapes", () => {
    expect(bounds(cuboid([-10, 0, 1]))).toBeNull();
    expect(bounds(cuboid([10, 30, 1]))).toBeNull();
    expect(seeCuboids([{ ...cuboid([10, 0, 1]), type: "bbox" }], null, front)).toEqual([]);
    // One that the camera is in the middle of is drawn where its edges are before it.
    expect(bounds(cuboid([0, 0, 1], [20, 4, 2]))).not.toBeNull();
  });

  test("need a calibration for pictures of this size, and say why they are missing", () => {
    const shapes = [cuboid([10, 0, 1])];
    expect(seeCuboids(shapes, null, { ...front, calibration: null })).toBeNull();
    expect(seeCuboids(shapes, null, { ...front, width: 320, height: 240 })).toBe(
      "The camera is calibrated for 640×480, the picture is 320×240.",
    );
    expect(seeCuboids(shapes, null, { ...front, calibration: { ...calibration, k: [] } })).toMatch(/calibrated/);
    expect(seeCuboids(shapes, null, { ...front, pose: { position: [1] } })).toMatch(/place of the camera/);
  });
});
