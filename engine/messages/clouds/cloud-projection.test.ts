import { expect, test } from "vitest";
import {
  chooseSize,
  findValueRange,
  listColourings,
  PointRaster,
  projectCloud,
} from "@/engine/messages/clouds/cloud-projection";
import { getColours } from "@/engine/messages/colour-scale";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import { CameraView } from "@/engine/messages/pictures/camera-model";
import { identity, type Pose, type Vector } from "@/engine/messages/pose";
import type { Cloud, PackedField } from "@/engine/messages/scene-object";

const [width, height] = [16, 12];
const k = [8, 0, 7.5, 0, 8, 5.5, 0, 0, 1];
const view = new CameraView(readCalibration({ width, height, k, d: [], distortion_model: "plumb_bob" }), false);

/** A place in the camera's frame that is seen at a pixel. */
const at = (u: number, v: number, depth: number): Vector => [((u - 7.5) * depth) / 8, ((v - 5.5) * depth) / 8, depth];

const names = ["x", "y", "z", "intensity"];
const fields: PackedField[] = names.map((name, n) => ({ name, offset: n * 4, type: "float32" }));

function makeCloud(points: readonly Vector[], more: readonly PackedField[] = []): Cloud {
  const numbers = Float32Array.from(points.flatMap((point, n) => [...point, n]));
  const data = new Uint8Array(numbers.buffer);
  return {
    kind: "cloud",
    frame: "lidar",
    stamp: null,
    pose: identity,
    count: points.length,
    stride: 16,
    isLittleEndian: true,
    fields: [...fields, ...more],
    data,
  };
}

const listPlaces = ({ places }: { places: Float32Array }): string[] =>
  Array.from({ length: places.length / 2 }, (_, n) =>
    [...places.subarray(2 * n, 2 * n + 2)].map((part) => part.toFixed(2)).join(" "),
  );

test("points in front of the camera and inside the picture are seen, with their distance from it", () => {
  const cloud = makeCloud([at(3, 2, 2), at(15, 11, 4), at(16, 2, 2), [0, 0, -2], [Number.NaN, 0, 2], at(0, 0, 1)]);
  const seen = projectCloud(cloud, identity, view, null);
  expect(listPlaces(seen)).toEqual(["3.00 2.00", "15.00 11.00", "0.00 0.00"]);
  expect(seen).toMatchObject({ count: 3, step: 1, colouredBy: "distance" });
  expect([...seen.distances].map((metres) => metres.toFixed(3))).toEqual(
    [at(3, 2, 2), at(15, 11, 4), at(0, 0, 1)].map((place) => Math.hypot(...place).toFixed(3)),
  );
  expect(projectCloud(cloud, identity, view, "intensity").values).toEqual(Float32Array.of(0, 1, 5));
});

test("a cloud lies where its pose puts it: a lidar looks along x with z up, a camera along z with y down", () => {
  // The pose of a frame with x ahead, y left and z up, seen from an optical frame that is 0.1 m above it.
  const pose: Pose = { position: [0, 0.1, 0], orientation: [0.5, -0.5, 0.5, 0.5] };
  const [right, down, ahead] = at(3, 2, 2);
  const cloud = makeCloud([[ahead, -right, -(down - 0.1)]]);
  expect(listPlaces(projectCloud(cloud, pose, view, null))).toEqual(["3.00 2.00"]);
});

test("of more than 200,000 points every nth is drawn", () => {
  const cloud = makeCloud(Array.from({ length: 450_001 }, (_, n) => at(n % 16, n % 12, 2)));
  const seen = projectCloud(cloud, identity, view, "intensity");
  expect(seen).toMatchObject({ step: 3, count: 150_001 });
  expect([...seen.values.subarray(0, 3), seen.values.at(-1)]).toEqual([0, 3, 6, 450_000]);
  const range = findValueRange(seen)!;
  expect(range.min / 450_000).toBeCloseTo(0.02, 2);
  expect(range.max / 450_000).toBeCloseTo(0.98, 2);
});

test("points are coloured by a field that they have, by their own colours, or all alike", () => {
  const rgb: PackedField = { name: "rgb", offset: 12, type: "float32" };
  const cloud = makeCloud([at(3, 2, 2)], [rgb]);
  cloud.data.set([30, 20, 10, 0], 12);
  expect(listColourings(cloud)).toEqual(["distance", "x", "y", "z", "intensity", "rgb", "flat"]);
  expect(listColourings(makeCloud([]))).not.toContain("rgb");
  const seen = projectCloud(cloud, identity, view, "rgb");
  expect(seen.colours).toEqual(Uint32Array.of(0xff_1e_14_0a));
  expect(findValueRange(seen)).toBeNull();
  expect(projectCloud(cloud, identity, view, "speed").colouredBy).toBe("distance");
  expect(projectCloud(cloud, identity, view, "flat")).toMatchObject({ colours: null, values: new Float32Array(0) });
});

test("near points hide those behind them, whatever their order", () => {
  const raster = new PointRaster(width, height);
  const turbo = getColours("turbo");
  const range = { min: 1, max: 3 };
  for (const depths of [
    [1, 3],
    [3, 1],
  ]) {
    const cloud = makeCloud(depths.map((depth) => at(7.5, 5.5, depth)));
    raster.draw(projectCloud(cloud, identity, view, null), range, "turbo", 1);
    expect(raster.pixels[6 * width + 8]).toBe(turbo[0]);
    expect(raster.pixels.filter((pixel) => pixel !== 0).length).toBe(1);
  }
});

test("points are squares of their size, cut at the edges of the picture", () => {
  const raster = new PointRaster(width, height);
  const seen = projectCloud(makeCloud([at(0, 0, 2), at(8, 6, 2)]), identity, view, "flat");
  raster.draw(seen, null, "turbo", 3);
  const drawn = [...raster.pixels].flatMap((pixel, n) => (pixel === 0 ? [] : [[n % width, Math.floor(n / width)]]));
  const square = (from: number, to: number, top: number, bottom: number) =>
    Array.from({ length: bottom - top + 1 }, (_, v) =>
      Array.from({ length: to - from + 1 }, (_, u) => [from + u, top + v]),
    ).flat();
  expect(drawn).toEqual([...square(0, 1, 0, 1), ...square(7, 9, 5, 7)]);
});

test("a value that is no number is grey, and large pictures have a pixel for each few of theirs", () => {
  const cloud = makeCloud([at(3, 2, 2)]);
  new DataView(cloud.data.buffer).setFloat32(12, Number.NaN, true);
  const small = new PointRaster(width, height);
  small.draw(projectCloud(cloud, identity, view, "intensity"), { min: 0, max: 1 }, "turbo", 1);
  expect(small.pixels[2 * width + 3]).toBe(0xff_80_80_80);
  const large = new PointRaster(8_000, 4_000);
  expect(large).toMatchObject({ share: 2, width: 4_000, height: 2_000 });
  expect([16, 640, 1_280, 8_000].map(chooseSize)).toEqual([1, 2, 3, 8]);
});
