import { describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { requireAllPoints } from "@/engine/messages/clouds/complete";
import { readPcd } from "@/engine/messages/clouds/pcd-file";
import { readPly } from "@/engine/messages/clouds/ply";
import { DamagedPoints } from "@/engine/messages/clouds/points-file";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const join = (head: string, points: Uint8Array): Uint8Array => new Uint8Array([...encode(head), ...points]);

const pcd = (data: string, points = 4) =>
  `# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH ${points}\nHEIGHT 1\nPOINTS ${points}\nDATA ${data}\n`;
const ply = (format: string) =>
  `ply\nformat ${format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n`;
const lines = encode("1 2 3\n\n4 5 6\r\n \t\n7 8 9\n10 11 12");

/** Four points, as literal runs of LZF after their sizes. */
function compressed(): Uint8Array {
  const runs = [32, 16].flatMap((length) => [length - 1, ...new Array<number>(length).fill(7)]);
  const bytes = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, ...runs]);
  new DataView(bytes.buffer).setUint32(0, runs.length, true);
  new DataView(bytes.buffer).setUint32(4, 48, true);
  return bytes;
}

const files = [
  ["pcd", "text", join(pcd("ascii"), lines)],
  ["pcd", "bytes", join(pcd("binary"), new Uint8Array(48))],
  ["pcd", "compressed bytes", join(pcd("binary_compressed"), compressed())],
  ["ply", "text", join(ply("ascii"), lines)],
  ["ply", "bytes", join(ply("binary_little_endian"), new Uint8Array(48))],
  ["ply", "bytes, the highest first", join(ply("binary_big_endian"), new Uint8Array(48))],
] as const;

/** Why a file is refused; null when it is not. */
const refusal = (work: () => unknown): Promise<string | null> =>
  Promise.resolve()
    .then(work)
    .then(
      () => null,
      (error: unknown) => (error instanceof DamagedPoints ? error.message : `unexpected: ${String(error)}`),
    );

describe.each(files)("a %s of %s", (format, _, bytes) => {
  test("is refused at every length at which drawing it is, with the same words, and at no other", async () => {
    const draw = format === "pcd" ? readPcd : readPly;
    const said = new Set<string | null>();
    for (let length = 0; length <= bytes.length; length++) {
      const part = bytes.subarray(0, length);
      const drawn = await refusal(() => draw(part, 100));
      expect([length, await refusal(() => requireAllPoints(memorySource(part), format))]).toEqual([length, drawn]);
      said.add(drawn);
    }
    expect(said.has(null) && said.has("The header of the point cloud is damaged.")).toBe(true);
    expect([...said].filter((text) => text !== null && /^The file (says 4 points but )?ends /.test(text))).not.toEqual(
      [],
    );
    expect(await refusal(() => requireAllPoints(memorySource(bytes), format))).toBeNull();
  });
});

test.each([
  ["pcd", "a field of three bytes", pcd("binary").replace("SIZE 4 4 4", "SIZE 4 4 3")],
  ["pcd", "an encoding that is not known", pcd("zip")],
  ["ply", "points that do not come first", ply("ascii").replace("element vertex", "element camera 1\nelement vertex")],
  ["ply", "a property that is a list", ply("ascii").replace("float z", "list uchar int z")],
] as const)("nothing is said of a %s with %s", async (format, _, text) => {
  expect(await refusal(() => requireAllPoints(memorySource(encode(text)), format))).toBeNull();
});

test("a text is read in pieces, and no further than its points reach", async () => {
  const head = pcd("ascii", 300_000);
  const bytes = encode(`${head}${"1 2 3\n".repeat(600_000)}`);
  const reads: [number, number][] = [];
  const file = {
    size: bytes.length,
    read: (offset: number, length: number) => {
      reads.push([offset, length]);
      return Promise.resolve(bytes.subarray(offset, offset + length));
    },
  };
  await requireAllPoints(file, "pcd");
  expect(Math.max(...reads.map(([, length]) => length))).toBeLessThanOrEqual(1024 * 1024);
  expect(Math.max(...reads.map(([offset, length]) => offset + length))).toBeLessThan(head.length + 3 * 1024 * 1024);
});
