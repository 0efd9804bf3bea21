import { expect, test } from "vitest";
import { readFoxgloveCloud, readRosCloud } from "@/engine/messages/clouds/cloud";
import { encodePcd } from "@/engine/messages/clouds/pcd";
import type { Cloud } from "@/engine/messages/scene-object";

const xyz = ["x", "y", "z"].map((name, at) => ({ name, offset: at * 4, datatype: 7, type: 7, count: 1 }));

function split(file: Uint8Array): { lines: Map<string, string>; body: DataView } {
  const text = Buffer.from(file).toString("latin1");
  const end = text.indexOf("DATA binary\n") + "DATA binary\n".length;
  const lines = new Map(
    text
      .slice(0, end)
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
  return { lines, body: new DataView(file.buffer, file.byteOffset + end) };
}

const toCloud = (objects: readonly { kind: string }[]): Cloud => {
  const [cloud] = objects;
  if (cloud?.kind !== "cloud") throw new Error("no cloud");
  return cloud as Cloud;
};

test("a cloud becomes a binary PCD with its fields one after another, without what lies between them", () => {
  const data = new Uint8Array(2 * 20);
  const view = new DataView(data.buffer);
  for (const [point, at] of [0, 20].entries()) {
    for (let n = 0; n < 3; n++) view.setFloat32(at + n * 4, point * 10 + n, true);
    view.setUint16(at + 16, 700 + point, true);
  }
  const fields = [...xyz, { name: "ring no", offset: 16, datatype: 4, count: 1 }];
  const message = { width: 2, height: 1, point_step: 20, row_step: 40, is_bigendian: false, fields, data };
  const file = encodePcd(toCloud(readRosCloud(message).objects));
  const { lines, body } = split(file);
  expect(Object.fromEntries(lines)).toMatchObject({
    VERSION: "0.7",
    FIELDS: "x y z ring_no",
    SIZE: "4 4 4 2",
    TYPE: "F F F U",
    COUNT: "1 1 1 1",
    WIDTH: "2",
    POINTS: "2",
    VIEWPOINT: "0 0 0 1 0 0 0",
  });
  expect(body.byteLength).toBe(2 * 14);
  expect([body.getFloat32(14, true), body.getFloat32(18, true), body.getUint16(26, true)]).toEqual([10, 11, 701]);
});

test("an organized cloud keeps its rows, padded or not; any other is one", () => {
  const rows = ({ width, height, padding = 0 }: { width: number; height: number; padding?: number }) => {
    const row_step = width * 12 + padding;
    const data = new Uint8Array(row_step * height);
    const view = new DataView(data.buffer);
    for (let n = 0; n < width * height; n++)
      view.setFloat32(Math.floor(n / width) * row_step + (n % width) * 12, n % 3 === 1 ? Number.NaN : n, true);
    const message = { width, height, point_step: 12, row_step, is_bigendian: false, fields: xyz, data };
    const { lines, body } = split(encodePcd(toCloud(readRosCloud(message).objects)));
    const values = Array.from({ length: width * height }, (_, n) => body.getFloat32(n * 12, true));
    expect(values).toEqual(values.map((_, n) => (n % 3 === 1 ? Number.NaN : n)));
    return ["WIDTH", "HEIGHT", "POINTS"].map((name) => lines.get(name));
  };
  expect(rows({ width: 5, height: 4 })).toEqual(["5", "4", "20"]);
  expect(rows({ width: 5, height: 4, padding: 8 })).toEqual(["5", "4", "20"]);
  expect(rows({ width: 20, height: 1 })).toEqual(["20", "1", "20"]);
  expect(rows({ width: 0, height: 4 })).toEqual(["0", "1", "0"]);
});

test("numbers whose highest byte comes first are turned round", () => {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  [1.5, -2, 3].forEach((value, n) => view.setFloat32(n * 4, value, false));
  const message = { width: 1, height: 1, point_step: 12, row_step: 12, is_bigendian: true, fields: xyz, data };
  const { body } = split(encodePcd(toCloud(readRosCloud(message).objects)));
  expect([0, 4, 8].map((at) => body.getFloat32(at, true))).toEqual([1.5, -2, 3]);
});

test("the pose of a cloud is its viewpoint", () => {
  const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 1, w: 0 } };
  const message = { point_stride: 12, fields: xyz, data: new Uint8Array(12), pose };
  const { lines } = split(encodePcd(toCloud(readFoxgloveCloud(message).objects)));
  expect(lines.get("VIEWPOINT")).toBe("1 2 3 0 0 0 1");
});
