import { describe, expect, test } from "vitest";
import { readColours, readColumn } from "@/engine/messages/clouds/cloud-columns";
import { decompressLzf } from "@/engine/messages/clouds/lzf";
import { readPcd } from "@/engine/messages/clouds/pcd-file";
import { readPly } from "@/engine/messages/clouds/ply";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(parts.flatMap((part) => [...part]));

const places = [
  [1, 2, 3],
  [4, 5, 6],
  [-7.5, 8, 9],
  [10, 11, 12],
  [13, 14, 15],
];
const header = (data: string, fields = "x y z intensity", size = "4 4 4 1", type = "F F F U") =>
  encode(
    `# .PCD v0.7\nVERSION 0.7\nFIELDS ${fields}\nSIZE ${size}\nTYPE ${type}\nCOUNT 1 1 1 1\nWIDTH 5\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 5\nDATA ${data}\n`,
  );

function packPoints(): Uint8Array {
  const view = new DataView(new ArrayBuffer(5 * 13));
  for (const [at, place] of places.entries()) {
    for (const [axis, value] of place.entries()) view.setFloat32(at * 13 + axis * 4, value, true);
    view.setUint8(at * 13 + 12, at * 10);
  }
  return new Uint8Array(view.buffer);
}

/** The same by field, as literal runs of LZF. */
function compressPoints(): Uint8Array {
  const packed = packPoints();
  const columns: number[] = [];
  for (let axis = 0; axis < 3; axis++)
    for (let at = 0; at < 5; at++) columns.push(...packed.subarray(at * 13 + axis * 4, at * 13 + axis * 4 + 4));
  for (let at = 0; at < 5; at++) columns.push(packed[at * 13 + 12]!);
  const literal: number[] = [];
  for (let at = 0; at < columns.length; at += 32) {
    const run = columns.slice(at, at + 32);
    literal.push(run.length - 1, ...run);
  }
  const sizes = new Uint8Array(8);
  new DataView(sizes.buffer).setUint32(0, literal.length, true);
  new DataView(sizes.buffer).setUint32(4, columns.length, true);
  return join(sizes, new Uint8Array(literal));
}

const text = places.map((place, at) => `${place.join(" ")} ${at * 10}`).join("\n");

describe.each([
  ["text", join(header("ascii"), encode(`${text}\n`))],
  ["bytes", join(header("binary"), packPoints())],
  ["compressed bytes", join(header("binary_compressed"), compressPoints())],
])("a PCD of %s", (_, bytes) => {
  test("has its points and fields", () => {
    const { cloud, total, step } = readPcd(bytes, 100);
    expect([cloud.count, total, step]).toEqual([5, 5, 1]);
    expect([...readColumn(cloud, "x")]).toEqual([1, 4, -7.5, 10, 13]);
    expect([...readColumn(cloud, "z")]).toEqual([3, 6, 9, 12, 15]);
    expect([...readColumn(cloud, "intensity")]).toEqual([0, 10, 20, 30, 40]);
  });

  test("with more points than wanted has every nth", () => {
    const { cloud, total, step } = readPcd(bytes, 3);
    expect([total, step, [...readColumn(cloud, "x")]]).toEqual([5, 2, [1, -7.5, 13]]);
  });
});

test("a PCD that ends early, lacks a place or is no cloud is refused with the reason", () => {
  const short = join(header("binary"), packPoints().subarray(0, 30));
  expect(() => readPcd(short, 100)).toThrow("The file says 5 points but ends after 2.");
  expect(() => readPcd(join(header("ascii"), encode("1 2 3 4\n")), 100)).toThrow("ends after 1.");
  expect(() => readPcd(header("ascii", "x y i j"), 100)).toThrow('no field "z"');
  expect(() => readPcd(encode("FIELDS x y z\n"), 100)).toThrow("damaged");
  expect(() => readPcd(header("zip"), 100)).toThrow('The encoding "zip"');
});

const ply = (format: string, extra = "") =>
  encode(
    `ply\nformat ${format} 1.0\ncomment made by hand\n${extra}element vertex 2\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n`,
  );

test("a PLY of text has its points and colours, and ignores faces", () => {
  const bytes = join(ply("ascii"), encode("1 2 3 255 0 10\n4 5 6 0 255 20\n3 0 1 1\n"));
  const { cloud } = readPly(bytes, 100);
  expect([...readColumn(cloud, "y")]).toEqual([2, 5]);
  expect([...(readColours(cloud) ?? [])]).toEqual([255, 0, 10, 255, 0, 255, 20, 255]);
});

test.each([true, false])("a PLY of bytes in little-endian order (%s) has its points", (isLittle) => {
  const view = new DataView(new ArrayBuffer(2 * 27));
  for (let at = 0; at < 2; at++)
    for (let axis = 0; axis < 3; axis++) view.setFloat64(at * 27 + axis * 8, at * 3 + axis + 1, isLittle);
  const name = isLittle ? "binary_little_endian" : "binary_big_endian";
  const { cloud } = readPly(join(ply(name), new Uint8Array(view.buffer)), 100);
  expect([...readColumn(cloud, "z")]).toEqual([3, 6]);
});

test("a PLY whose points do not come first is refused", () => {
  expect(() => readPly(ply("ascii", "element camera 1\nproperty float fx\n"), 100)).toThrow("do not come first");
});

test("LZF copies what was written before, also over itself, and refuses what leads nowhere", () => {
  expect([...decompressLzf(new Uint8Array([1, 7, 8, 0x60, 1]), 7)]).toEqual([7, 8, 7, 8, 7, 8, 7]);
  expect(() => decompressLzf(new Uint8Array([0x60, 9]), 5)).toThrow("damaged");
  expect(() => decompressLzf(new Uint8Array([0, 1]), 5)).toThrow("damaged");
});
