import { describe, expect, test } from "vitest";
import { readColumn } from "@/engine/messages/clouds/cloud-columns";
import { rotate, type Vector } from "@/engine/messages/pose";
import { chooseStamp, readTime } from "@/engine/messages/poses/stamp";
import { readTransforms } from "@/engine/messages/poses/transforms";
import type { Cloud, Figures, Grid, SceneObject, Shape } from "@/engine/messages/scene-object";
import { deservesScene, isLayerSchema } from "@/engine/messages/scene-schemas";
import { defaultReading } from "@/engine/messages/scenes/layer-reading";
import { findLatestAdapter } from "@/engine/messages/scenes/scene-adapters";

const header = { stamp: { sec: 1, nanosec: 0 }, frame_id: "map" };
const read = (schema: string, value: unknown) => findLatestAdapter(schema)!(value);
const first = <Kind extends SceneObject["kind"]>(schema: string, value: unknown, kind: Kind) => {
  const [object] = read(schema, value).objects;
  expect(object?.kind).toBe(kind);
  return object as Extract<SceneObject, { kind: Kind }>;
};
const readCloud = (schema: string, value: unknown): Cloud => first(schema, value, "cloud");
const readGrid = (schema: string, value: unknown): Grid => first(schema, value, "grid");
const readShapes = (schema: string, value: unknown): Shape[] => first(schema, value, "figures").shapes;
const near = (vector: readonly number[]) => vector.map((part) => Math.round(part * 1e6) / 1e6 + 0);

test("schemas are known by their names in all their forms, not by topics", () => {
  for (const name of [
    "sensor_msgs/PointCloud2",
    "sensor_msgs/msg/PointCloud2",
    "foxglove.PointCloud",
    "foxglove_msgs/msg/PointCloud",
  ])
    expect(deservesScene(name)).toBe(true);
  expect(isLayerSchema("tf2_msgs/msg/TFMessage")).toBe(false);
  expect(deservesScene("tf2_msgs/msg/TFMessage")).toBe(false);
  expect(deservesScene("sensor_msgs/msg/Imu")).toBe(false);
  expect(isLayerSchema("constructor")).toBe(false);
});

describe("stamps", () => {
  test.each([
    [{ sec: 2, nsec: 3 }, 2_000_000_003n],
    [{ sec: 2, nanosec: 3 }, 2_000_000_003n],
    [{ seconds: 2n, nanos: 3 }, 2_000_000_003n],
    ["1970-01-01T00:00:02.000000003Z", 2_000_000_003n],
    ["1970-01-01T01:00:02+01:00", 2_000_000_000n],
    [{ sec: 0, nsec: 0 }, null],
    ["yesterday", null],
    [undefined, null],
  ])("%o", (value, wanted) => expect(readTime(value)).toBe(wanted));

  test("of another clock, or of none, give way to the log's time", () => {
    const log = 10_000_000_000_000n;
    expect(chooseStamp(null, log)).toBe(log);
    expect(chooseStamp(log - 1_000_000n, log)).toBe(log - 1_000_000n);
    expect(chooseStamp(5n, log)).toBe(log);
  });
});

describe("scans", () => {
  const scan = { header, angle_min: -1, angle_increment: 0.5, range_min: 0.5, range_max: 10, intensities: [] };
  test("are points at their angles; ranges beyond the limits are counted", () => {
    const value = { ...scan, ranges: new Float32Array([1, 2, 0.1, 20, Infinity, 4]), intensities: [1, 2, 3, 4, 5, 6] };
    const cloud = readCloud("sensor_msgs/LaserScan", value);
    expect(cloud.count).toBe(3);
    for (const [at, [angle, range]] of [
      [-1, 1],
      [-0.5, 2],
      [1.5, 4],
    ].entries()) {
      expect(readColumn(cloud, "x")[at]).toBeCloseTo(Math.cos(angle!) * range!, 6);
      expect(readColumn(cloud, "y")[at]).toBeCloseTo(Math.sin(angle!) * range!, 6);
    }
    expect([...readColumn(cloud, "intensity")]).toEqual([1, 2, 6]);
    expect(read("sensor_msgs/LaserScan", value).notes).toEqual([
      "2 ranges outside the scanner's limits",
      "1 beam without a range",
    ]);
  });

  test("of Foxglove span from the first angle to the last", () => {
    const value = { frame_id: "lidar", start_angle: 0, end_angle: Math.PI, ranges: [1, 1, 1], intensities: [] };
    const cloud = readCloud("foxglove.LaserScan", value);
    expect(near([...readColumn(cloud, "x")])).toEqual([1, 0, -1].map((x) => x + 0));
    expect(cloud.fields.map(({ name }) => name)).toEqual(["x", "y", "z", "range"]);
  });

  test("of several echoes use the first", () => {
    const ranges = [{ echoes: new Float32Array([3, 4]) }, { echoes: [] }];
    expect([...readColumn(readCloud("sensor_msgs/MultiEchoLaserScan", { ...scan, ranges }), "range")]).toEqual([3]);
  });

  test("of several echoes show all where somebody chose so, each with its own intensity", () => {
    const value = {
      ...scan,
      ranges: [{ echoes: new Float32Array([3, 4]) }, { echoes: [] }, { echoes: [5, 20, 6] }],
      intensities: [{ echoes: [30, 40] }, { echoes: [] }, { echoes: [50, 1, 60] }],
    };
    const { objects, notes } = findLatestAdapter("sensor_msgs/MultiEchoLaserScan")!(value, {
      ...defaultReading,
      allEchoes: true,
    });
    const cloud = objects[0] as Cloud;
    expect([...readColumn(cloud, "range")]).toEqual([3, 4, 5, 6]);
    expect([...readColumn(cloud, "intensity")]).toEqual([30, 40, 50, 60]);
    expect(notes).toEqual(["1 beam without a range", "1 range outside the scanner's limits"]);
  });

  test("a line joins neighbouring beams, and breaks where a range was left out", () => {
    const ranges = [1, 2, 3, Number.NaN, 4, 0.1, 5, 6];
    // Beams 0, 1, 2, 4, 6 and 7 are points 0 to 5.
    expect([...readCloud("sensor_msgs/LaserScan", { ...scan, ranges }).segments!]).toEqual([0, 1, 1, 2, 4, 5]);
    const echoes = [[1, 2], [1], [1, 2], [1, 2]].map((each) => ({ echoes: each }));
    const all = findLatestAdapter("sensor_msgs/MultiEchoLaserScan")!(
      { ...scan, ranges: echoes },
      { ...defaultReading, allEchoes: true },
    );
    // First echoes are points 0, 2, 3 and 5, second ones 1, 4 and 6.
    expect([...(all.objects[0] as Cloud).segments!]).toEqual([0, 2, 2, 3, 3, 5, 4, 6]);
  });
});

describe("grids", () => {
  const info = {
    width: 3,
    height: 2,
    resolution: 0.5,
    origin: { position: { x: -1, y: -2, z: 0 }, orientation: { w: 1 } },
  };
  test("of occupancy: −1 is unknown, 0 light, 100 dark, anything else marked", () => {
    const grid = readGrid("nav_msgs/OccupancyGrid", { header, info, data: new Int8Array([-1, 0, 100, 50, 101, -2]) });
    expect(grid).toMatchObject({ columns: 3, rows: 2, size: [1.5, 1], pose: { position: [-1, -2, 0] } });
    const pixels = Array.from({ length: 6 }, (_, at) => [...grid.pixels.subarray(at * 4, at * 4 + 4)]);
    expect(pixels[0]![3]).toBeLessThan(255);
    expect(pixels[1]).toEqual([245, 245, 245, 255]);
    expect(pixels[2]).toEqual([25, 25, 25, 255]);
    expect(pixels[3]).toEqual([135, 135, 135, 255]);
    expect(pixels[4]).toEqual(pixels[5]);
    expect(pixels[4]![1]).toBeLessThan(pixels[4]![0]!);
    // As bytes without a sign the unknown ones are 255.
    expect(readGrid("nav_msgs/OccupancyGrid", { header, info, data: [255, 0, 0, 0, 0, 0] }).pixels[3]).toBeLessThan(
      255,
    );
  });

  test("of occupancy have the colours of costs where somebody chose so", () => {
    // The last one is 255, −1 as a byte without a sign.
    const data = [0, 1, 50, 98, 99, 100, 101, -1, -128, -2, 255, 0];
    const value = { header, info: { ...info, width: 6 }, data };
    const { objects } = findLatestAdapter("nav_msgs/OccupancyGrid")!(value, { ...defaultReading, isCostmap: true });
    const { pixels } = objects[0] as Grid;
    expect(data.map((_, at) => [...pixels.subarray(at * 4, at * 4 + 4)])).toEqual([
      [0, 0, 0, 0],
      [2, 0, 253, 255],
      [127, 0, 128, 255],
      [249, 0, 6, 255],
      [0, 255, 255, 255],
      [255, 0, 255, 255],
      [0, 255, 0, 255],
      [112, 137, 134, 255],
      [255, 0, 0, 255],
      [255, 255, 0, 255],
      [112, 137, 134, 255],
      [0, 0, 0, 0],
    ]);
  });

  test("that do not carry their cells are refused", () => {
    const refuse = (change: object, text: string) =>
      expect(() =>
        read("nav_msgs/OccupancyGrid", { header, info: { ...info, ...change }, data: new Int8Array(6) }),
      ).toThrow(text);
    refuse({ width: 1_000 }, "1000 × 2 cells but carries 6");
    refuse({ width: 1e6, height: 1e6 }, "at most 200 million");
    refuse({ height: 0 }, "no cells: 3 × 0");
    refuse({ resolution: 0 }, `"resolution" is 0`);
  });

  test("of Foxglove are coloured by their colours, or from the lowest to the highest value", () => {
    const grid = { frame_id: "map", column_count: 2, cell_size: { x: 1, y: 2 }, cell_stride: 4, row_stride: 12 };
    const colours = ["red", "green", "blue", "alpha"].map((name, offset) => ({ name, offset, type: 1 }));
    const data = Uint8Array.from({ length: 24 }, (_, at) => at);
    const coloured = readGrid("foxglove.Grid", { ...grid, fields: colours, data });
    expect([...coloured.pixels]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(coloured.size).toEqual([2, 4]);
    const heights = new Uint8Array(new Float32Array([1, 2, 0, 3, Number.NaN, 0]).buffer);
    const valued = readGrid("foxglove.Grid", {
      ...grid,
      fields: [{ name: "height", offset: 0, type: 7 }],
      data: heights,
    });
    expect([valued.pixels[3], valued.pixels[11], valued.pixels[15]]).toEqual([255, 255, 0]);
    expect(() => read("foxglove.Grid", { ...grid, fields: colours, row_stride: 4, data })).toThrow(
      "cannot take 4 bytes",
    );
  });
});

describe("grids with fields", () => {
  const fields = [
    { name: "height", offset: 0, type: 7 },
    { name: "cost", offset: 4, type: 1 },
    ...["red", "green", "blue"].map((name, at) => ({ name, offset: 5 + at, type: 1 })),
  ];
  const data = new Uint8Array(16);
  new DataView(data.buffer).setFloat32(0, 2, true);
  new DataView(data.buffer).setFloat32(8, 4, true);
  data.set([10, 1, 2, 3], 4);
  data.set([30, 4, 5, 6], 12);
  const value = {
    frame_id: "map",
    column_count: 2,
    cell_size: { x: 1, y: 1 },
    cell_stride: 8,
    row_stride: 16,
    fields,
    data,
  };
  const readBy = (change: Partial<typeof defaultReading>) => {
    const { objects, notes } = findLatestAdapter("foxglove.Grid")!(value, { ...defaultReading, ...change });
    const grid = objects[0] as Grid;
    return { notes, grid, pixels: [...grid.pixels] };
  };

  test("have the message's colours until a field is chosen, which spans a scale", () => {
    const own = readBy({});
    expect(own.grid).toMatchObject({ colouredBy: "rgb", fields: ["rgb", "height", "cost", "red", "green", "blue"] });
    expect(own.pixels).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
    const cost = readBy({ colourBy: "cost", colourScale: "grey" });
    expect(cost.grid.colouredBy).toBe("cost");
    expect(cost.pixels).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    expect(cost.notes).toEqual(["colours from 10 to 30"]);
  });

  test("stay within a chosen range", () => {
    // Of 0 to 10, 2 is a fifth and 4 two fifths of 255.
    const { pixels } = readBy({ colourBy: "height", colourScale: "grey", min: 0, max: 10 });
    expect(pixels).toEqual([51, 51, 51, 255, 102, 102, 102, 255]);
    const beyond = readBy({ colourBy: "height", colourScale: "grey", min: 3, max: 3.5 });
    expect(beyond.pixels).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
  });

  test("without the chosen field say so", () => {
    const { grid, notes } = readBy({ colourBy: "slope" });
    expect(grid.colouredBy).toBe("rgb");
    expect(notes).toEqual(['it has no field "slope"']);
  });
});

describe("poses", () => {
  const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
  test("are arrows, in the frame that the message names", () => {
    expect(first("geometry_msgs/PoseStamped", { header, pose }, "figures")).toMatchObject({
      frame: "map",
      shapes: [{ kind: "arrow", pose: { position: [1, 2, 3] } }],
    });
    expect(readShapes("geometry_msgs/PoseArray", { header, poses: [pose, pose] })).toHaveLength(2);
    expect(readShapes("foxglove.PosesInFrame", { frame_id: "a", poses: [pose] })).toHaveLength(1);
  });

  test("that are no numbers are left out and counted", () => {
    const bad = { position: { x: Number.NaN }, orientation: { w: 1 } };
    expect(read("geometry_msgs/PoseArray", { header, poses: [bad, pose] }).notes).toEqual(["1 pose that is no number"]);
  });

  test("with a covariance have the ellipse of two standard deviations", () => {
    const covariance = Array.from({ length: 36 }, () => 0);
    [covariance[0], covariance[7]] = [0.25, 0.01];
    const shapes = readShapes("nav_msgs/Odometry", { header, child_frame_id: "base", pose: { pose, covariance } });
    expect(shapes[1]).toMatchObject({ kind: "sphere", pose: { position: [1, 2, 3] } });
    expect(near((shapes[1] as { size: Vector }).size.slice(0, 2))).toEqual([2, 0.4]);
    expect(
      readShapes("geometry_msgs/PoseWithCovarianceStamped", {
        header,
        pose: { pose, covariance: covariance.map(() => 0) },
      }),
    ).toHaveLength(1);
  });

  test("of a path are a line; poses of other frames are named", () => {
    const poses = [1, 2].map((x) => ({
      header: { frame_id: x === 1 ? "map" : "odom" },
      pose: { position: { x, y: 0, z: 0 } },
    }));
    const { objects, notes } = read("nav_msgs/Path", { header: { frame_id: "" }, poses });
    expect(objects[0]).toMatchObject({
      frame: "map",
      shapes: [{ kind: "line", points: new Float32Array([1, 0, 0, 2, 0, 0]) }],
    });
    expect(notes).toEqual(["its poses name other frames too: odom; all are drawn in map"]);
  });

  test("of an IMU without an orientation show the acceleration alone", () => {
    const imu = { header, orientation_covariance: [-1], orientation: {}, linear_acceleration: { x: 0, y: 0, z: 9.81 } };
    const [arrow] = readShapes("sensor_msgs/Imu", imu);
    expect(near(rotate(arrow!.pose.orientation, [1, 0, 0]))).toEqual([0, 0, 1]);
    expect(read("sensor_msgs/Imu", imu).notes).toEqual(["no orientation"]);
  });

  test("a range is a cone with its tip at the sensor, and nothing beyond its limits", () => {
    const range = { header, field_of_view: 0.5, min_range: 0.1, max_range: 4, range: 2 };
    const [cone] = readShapes("sensor_msgs/Range", range);
    const tip = rotate(cone!.pose.orientation, [0, 0, 1]);
    expect(near([cone!.pose.position[0] + tip[0], tip[1], tip[2]])).toEqual([0, 0, 0]);
    expect(readShapes("sensor_msgs/Range", { ...range, range: Infinity })).toEqual([]);
  });
});

test("turns of length 0, or not of length 1, are counted; transforms that are no numbers are left out alone", () => {
  const turn = (w: number, x = 0) => ({ position: { x }, orientation: { x: 0, y: 0, z: 0, w } });
  const { objects, notes } = read("geometry_msgs/PoseArray", {
    header,
    poses: [turn(1), turn(0), turn(2), turn(1.005), turn(1, Number.NaN)],
  });
  expect((objects[0] as Figures).shapes).toHaveLength(4);
  expect(notes).toEqual([
    "1 turn of length 0, drawn unturned",
    "1 turn that was not of length 1",
    "1 pose that is no number",
  ]);
  const link = (child_frame_id: string, x: number) => ({
    header,
    child_frame_id,
    transform: { translation: { x, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } },
  });
  const { transforms, notes: said } = readTransforms({
    transforms: [link("a", 1), link("b", Number.NaN), link("c", 3)],
  });
  expect(transforms.map(({ child }) => child)).toEqual(["a", "c"]);
  expect(said).toEqual(["1 pose that is no number"]);
});
