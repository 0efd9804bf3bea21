import { describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { comparePasses } from "@/engine/testing/compare-passes";
import { drainReader, openBytes } from "@/engine/testing/drain";
import { makeThreads } from "@/engine/testing/unpack-threads";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type McapOptions, type TestChannel } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const warning = "A chunk holds a damaged record; what follows it in the chunk was left out.";
const channels: TestChannel[] = [
  {
    topic: "/a",
    messageEncoding: "ros1",
    schemaName: "std_msgs/Float64",
    schemaEncoding: "ros1msg",
    schema: "float64 data\n",
  },
];
const mark = 0x7ab1c2d3;
/** Messages of 60 bytes at least, the one in the middle marked. */
const messages = Array.from({ length: 200 }, (_, n) => {
  const data = Buffer.alloc(60, 1);
  if (n === 100) data.writeUInt32LE(mark, 0);
  return { topic: "/a", time: 1_000_000_000n + BigInt(n) * 1_000_000n, data };
});

/** Makes a file's marked message as long as the rest of the file; `before`: from its payload back to its length. */
function breakLength(file: Buffer, before: number): Buffer {
  const broken = Buffer.from(file);
  const wanted = Buffer.alloc(4);
  wanted.writeUInt32LE(mark);
  broken.writeUInt32LE(0x00ff_ffff, broken.indexOf(wanted) - before);
  return broken;
}

async function read(file: Uint8Array): Promise<{ count: number; warnings: string[] }> {
  const reader = await openBytes([file]);
  const { length } = await drainReader(reader);
  return { count: length, warnings: (await reader.summary()).warnings };
}

describe("messages behind a damaged record of a chunk are not missed in silence", () => {
  test.each<McapOptions>([
    { chunkBytes: 65_536, noCrc: true },
    { chunkBytes: 4_000, noCrc: true },
    { chunkBytes: 4_000, noCrc: true, noMessageIndex: true },
    // Small neighbours are read as one.
    { chunkBytes: 500, noCrc: true },
  ])("in an MCAP file without checksums: %j", async (options) => {
    const file = breakLength(await writeMcap(channels, messages, options), 30);
    const { count, warnings } = await read(file);
    expect(count).toBeLessThan(200);
    expect(count).toBeGreaterThanOrEqual(100);
    expect(warnings).toContain(warning);
    const codecs = await recordingCodecs();
    for (const thread of Object.values(makeThreads(codecs)))
      expect((await comparePasses([memorySource(file)], [], { codecs, thread })).differences).toEqual([]);
    expect((await comparePasses([memorySource(file)], [], { codecs })).differences).toEqual([]);
  });

  test("in a bag, which has no checksums", async () => {
    const file = breakLength(writeBag(channels, messages, { chunkBytes: 4_000 }), 4);
    const { count, warnings } = await read(file);
    expect(count).toBeLessThan(200);
    expect(warnings).toContain(warning);
  });

  test("and a file that is cut off says that it is, and no more", async () => {
    const file = await writeMcap(channels, messages, { chunkBytes: 4_000 });
    const reader = await openRecording([memorySource(file.subarray(0, 6_100))], await recordingCodecs());
    await drainReader(reader);
    expect((await reader.summary()).warnings).toEqual(["The file is cut off: it ends before its recorder closed it."]);
  });
});
