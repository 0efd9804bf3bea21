import { describe, expect, test } from "vitest";
import { readFoxgloveCloud, readRosCloud } from "@/engine/messages/clouds/cloud";
import { findSpan, readColours, readColumn, readPoint } from "@/engine/messages/clouds/cloud-columns";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Cloud } from "@/engine/messages/scene-object";

const toCloud = ({ objects }: SceneMessage): Cloud => {
  const [cloud] = objects;
  if (cloud?.kind !== "cloud") throw new Error("no cloud");
  return cloud;
};

const header = { stamp: { sec: 5, nanosec: 7 }, frame_id: "/lidar" };
const xyz = ["x", "y", "z"].map((name, at) => ({ name, offset: at * 4, datatype: 7, type: 7, count: 1 }));

/** A cloud of `count` points at (n, 2n, −n), each of `stride` bytes, with what `write` puts after them. */
function rosCloud(
  count: number,
  change: object = {},
  stride = 16,
  write?: (view: DataView, at: number, n: number) => void,
) {
  const data = new Uint8Array(count * stride);
  const view = new DataView(data.buffer);
  for (let n = 0; n < count; n++) {
    view.setFloat32(n * stride, n, true);
    view.setFloat32(n * stride + 4, 2 * n, true);
    view.setFloat32(n * stride + 8, -n, true);
    write?.(view, n * stride, n);
  }
  return {
    header,
    width: count,
    height: 1,
    fields: xyz,
    is_bigendian: 0,
    point_step: stride,
    row_step: count * stride,
    data,
    ...change,
  };
}

test("a PointCloud2 keeps its bytes, its frame and its stamp", () => {
  const message = rosCloud(5);
  const cloud = toCloud(readRosCloud(message));
  expect(cloud).toMatchObject({ frame: "lidar", stamp: 5_000_000_007n, count: 5, stride: 16, isLittleEndian: true });
  expect(cloud.data.buffer).toBe(message.data.buffer);
  expect([...readColumn(cloud, "y")]).toEqual([0, 2, 4, 6, 8]);
  expect([...readColumn(cloud, "distance")].map((value) => Math.round(value * 1000))).toEqual(
    [0, 1, 2, 3, 4].map((n) => Math.round(Math.sqrt(6) * n * 1000)),
  );
  expect(readPoint(cloud, 3)).toEqual([
    { name: "x", value: 3 },
    { name: "y", value: 6 },
    { name: "z", value: -3 },
  ]);
});

// The numbers of types differ: 1 is int8 in ROS and uint8 in Foxglove, and so on.
describe.each([
  ["ROS", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"]],
  ["Foxglove", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]],
] as const)("types of fields as %s numbers them", (dialect, types) => {
  test.each(types.map((type, at) => [type, at + 1] as const))("%s is %i", (type, number) => {
    const data = new Uint8Array(16);
    const view = new DataView(data.buffer);
    const fields = [
      { name: "x", offset: 0, datatype: 7, type: 7, count: 1 },
      { name: "y", offset: 4, datatype: 7, type: 7, count: 1 },
      { name: "value", offset: 8, datatype: number, type: number, count: 1 },
    ];
    const value = type.startsWith("uint") ? 200 : type.startsWith("float") ? -2.5 : -100;
    const writers: Record<string, () => void> = {
      int8: () => view.setInt8(8, value),
      uint8: () => view.setUint8(8, value),
      int16: () => view.setInt16(8, value, true),
      uint16: () => view.setUint16(8, value, true),
      int32: () => view.setInt32(8, value, true),
      uint32: () => view.setUint32(8, value, true),
      float32: () => view.setFloat32(8, value, true),
      float64: () => view.setFloat64(8, value, true),
    };
    writers[type]!();
    const cloud =
      dialect === "ROS"
        ? readRosCloud({ ...rosCloud(1), fields, data })
        : readFoxgloveCloud({ frame_id: "lidar", point_stride: 16, fields, data });
    expect([...readColumn(toCloud(cloud), "value")]).toEqual([value]);
  });
});

test("types may be named, and bytes may be base64, as in JSON", () => {
  const { data } = rosCloud(2, {}, 12);
  const fields = xyz.map(({ name, offset }) => ({ name, offset, type: "FLOAT32" }));
  const message = {
    timestamp: "2026-02-02T02:40:00.5Z",
    frame_id: "a",
    point_stride: 12,
    fields,
    data: Buffer.from(data).toString("base64"),
  };
  const cloud = toCloud(readFoxgloveCloud(message));
  expect(cloud.stamp).toBe(1_770_000_000_500_000_000n);
  expect([...readColumn(cloud, "x")]).toEqual([0, 1]);
});

test("points without a place are counted, and stand in no range of colours", () => {
  const message = rosCloud(10, {}, 16, (view, at, n) => n % 3 === 0 && view.setFloat32(at + 4, Number.NaN, true));
  const { notes, objects } = readRosCloud(message);
  expect(notes).toEqual(["4 points whose place is no number"]);
  expect(findSpan(toCloud({ objects, notes }), "y")).toEqual({ min: 2, max: 16 });
});

test("rows may be padded, and numbers may have their higher byte first", () => {
  const step = 40;
  const data = new Uint8Array(step * 2);
  const view = new DataView(data.buffer);
  for (const [row, column] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const)
    view.setFloat32(row * step + column * 16, row * 10 + column, false);
  const message = rosCloud(2, { width: 2, height: 2, row_step: step, is_bigendian: true, data });
  expect([...readColumn(toCloud(readRosCloud(message)), "x")]).toEqual([0, 1, 10, 11]);
});

test("colours packed into a float are red, green, blue in the higher bytes", () => {
  const fields = [...xyz, { name: "rgb", offset: 12, datatype: 7, count: 1 }];
  const message = rosCloud(2, { fields }, 16, (view, at, n) =>
    view.setUint32(at + 12, n === 0 ? 0x00_11_22_33 : 0x00_ff_00_80, true),
  );
  expect([...readColours(toCloud(readRosCloud(message)))!]).toEqual([0x11, 0x22, 0x33, 255, 0xff, 0, 0x80, 255]);
});

test("a field of several values is read by its first", () => {
  const fields = [...xyz, { name: "echo", offset: 12, datatype: 2, count: 4 }];
  const { notes, objects } = readRosCloud(rosCloud(1, { fields }, 16, (view, at) => view.setUint8(at + 12, 250)));
  expect(notes).toEqual([`of the 4 values of "echo" the first is used`]);
  expect([...readColumn(toCloud({ objects, notes }), "echo")]).toEqual([250]);
});

describe("what does not fit is refused before anything is allocated", () => {
  const refuse = (change: object, text: string | RegExp) => {
    const read = () => readRosCloud(rosCloud(4, change));
    expect(read).toThrow(UnreadableMessage);
    expect(read).toThrow(text);
  };
  test("more points than bytes", () =>
    refuse({ width: 1_000_000, row_step: 16_000_000 }, "1000000 × 1 points of 16 bytes (16,000,000) but carries 64."));
  test("a billion points", () => refuse({ width: 1e9 }, "1,000,000,000 points; at most 20,000,000"));
  test("a field beyond its point", () =>
    refuse(
      { fields: [...xyz, { name: "intensity", offset: 16, datatype: 7, count: 1 }] },
      `"intensity" ends at byte 20 of 16`,
    ));
  test("an unknown type", () =>
    refuse({ fields: [{ name: "x", offset: 0, datatype: 9, count: 1 }] }, `"x" has the unknown type 9`));
  test("no x", () => refuse({ fields: xyz.slice(1) }, `no field "x"`));
  test("points of no bytes", () => refuse({ point_step: 0, fields: [] }, "no bytes"));
  test("a row that is shorter than its points", () =>
    refuse({ width: 2, height: 2, row_step: 20 }, `"row_step" is 20`));
  test("a negative width", () => refuse({ width: -1 }, `"width" is -1`));
  test("half a point", () => refuse({ width: 2.5 }, `"width" is 2.5`));
});

test("an empty cloud is no failure", () => {
  expect(toCloud(readRosCloud(rosCloud(0))).count).toBe(0);
  expect(toCloud(readFoxgloveCloud({ point_stride: 12, fields: xyz, data: new Uint8Array(0) })).count).toBe(0);
});

test("a Foxglove cloud has a pose of its own, and says what is left over", () => {
  const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 2 } };
  const { objects, notes } = readFoxgloveCloud({ point_stride: 12, fields: xyz, data: new Uint8Array(30), pose });
  expect(toCloud({ objects, notes })).toMatchObject({
    count: 2,
    pose: { position: [1, 2, 3], orientation: [0, 0, 0, 1] },
  });
  expect(notes).toEqual(["6 bytes after the last point", "1 turn that was not of length 1"]);
});
