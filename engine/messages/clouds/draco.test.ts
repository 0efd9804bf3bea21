import { createDecoderModule } from "draco3d";
import { beforeAll, expect, test } from "vitest";
import { readColours, readColumn } from "@/engine/messages/clouds/cloud-columns";
import { readCompressedCloud } from "@/engine/messages/clouds/compressed-cloud";
import { DracoDecoder } from "@/engine/messages/clouds/draco";
import type { Cloud } from "@/engine/messages/scene-object";
import { encodeDraco } from "@/engine/testing/draco-cloud";

const count = 1_000;
const positions = Float32Array.from({ length: count * 3 }, (_, n) => Math.sin(n) * 30);
const colours = Uint8Array.from({ length: count * 3 }, (_, n) => (n * 7) % 256);
const intensities = Float32Array.from({ length: count }, (_, n) => n / 10);

let decoder: DracoDecoder;
let data: Buffer;

beforeAll(async () => {
  decoder = new DracoDecoder(await createDecoderModule());
  data = await encodeDraco(count, [
    { kind: "POSITION", parts: 3, values: positions },
    { kind: "COLOR", parts: 3, values: colours },
    { kind: "GENERIC", parts: 1, values: intensities, name: "intensity" },
    { kind: "GENERIC", parts: 1, values: intensities },
  ]);
});

const message = (change: object = {}) => ({
  timestamp: { sec: 5, nsec: 7 },
  frame_id: "lidar",
  pose: { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
  format: "draco",
  data,
  ...change,
});

const read = (change: object = {}) => readCompressedCloud(message(change), decoder);

test("a cloud that Google's encoder compressed has its points, colours and fields again", () => {
  const { objects, notes } = read();
  const cloud = objects[0] as Cloud;
  expect(cloud).toMatchObject({ kind: "cloud", frame: "lidar", stamp: 5_000_000_007n, count, stride: 24 });
  expect(cloud.pose.position).toEqual([1, 2, 3]);
  expect(cloud.fields.map(({ name }) => name)).toEqual(["x", "y", "z", "red", "green", "blue", "intensity", "value"]);
  for (const [axis, name] of ["x", "y", "z"].entries())
    expect(readColumn(cloud, name)).toEqual(positions.filter((_, n) => n % 3 === axis));
  expect(readColumn(cloud, "intensity")).toEqual(intensities);
  expect(readColumn(cloud, "value")).toEqual(intensities);
  expect([...readColours(cloud)!.subarray(0, 8)]).toEqual([
    ...colours.subarray(0, 3),
    255,
    ...colours.subarray(3, 6),
    255,
  ]);
  expect(notes).toEqual([]);
});

test("what is cut off, of another kind, or says too many points is refused, and the next cloud is read", () => {
  expect(() => read({ data: data.subarray(0, data.length / 2) })).toThrow(/^The Draco data is damaged: [^.]+\.$/);
  expect(() => read({ data: data.subarray(0, 9) })).toThrow("The Draco data is cut off after 9 bytes.");
  expect(() => read({ data: Buffer.from("\x89PNG") })).toThrow("The data does not begin as Draco's does.");
  expect(() => read({ format: "zstd" })).toThrow('The format "zstd" of compressed clouds is not known.');
  const mesh = Buffer.from(data);
  mesh[7] = 1;
  expect(() => read({ data: mesh })).toThrow("The Draco data holds a mesh, and no cloud.");
  expect(read().objects).toHaveLength(1);
  expect(decoder.isUsable).toBe(true);
});

test("a number of points that cannot be is refused before memory is taken for them", async () => {
  const plain = await encodeDraco(4, [{ kind: "POSITION", parts: 3, values: positions.slice(0, 12) }]);
  plain.writeUInt32LE(1_000_000_000, 11);
  expect(() => read({ data: plain })).toThrow("The cloud says 1,000,000,000 points; at most 20,000,000 are drawn.");
  plain.writeUInt32LE(19_000_000, 11);
  expect(() => read({ data: plain })).toThrow(/^The Draco data is damaged/);
});

test("random damage is refused or read, and never ends the decoder for others", async () => {
  let seed = 7;
  const random = (end: number) => (seed = (seed * 48_271) % 2_147_483_647) % end;
  let refused = 0;
  // What says how the values lie is at the beginning.
  for (let round = 0; round < 100; round++) {
    const broken = Buffer.from(data);
    for (let flip = 0; flip < 3; flip++) broken[8 + random(150)] = random(256);
    try {
      read({ data: broken });
    } catch (error) {
      expect(error).toMatchObject({ name: "UnreadableMessage" });
      refused += 1;
    }
    if (!decoder.isUsable) decoder = new DracoDecoder(await createDecoderModule());
  }
  expect(refused).toBeGreaterThan(0);
  expect(read().objects).toHaveLength(1);
});
