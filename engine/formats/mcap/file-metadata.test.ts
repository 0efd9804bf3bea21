import { McapWriter, TempBuffer } from "@mcap/core";
import { describe, expect, test } from "vitest";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { readFileMetadata } from "@/engine/formats/mcap/file-metadata";

/** A file of MCAP's own writer: a record at its beginning, messages, and one at its end. */
async function write(messageBytes: number, atEnd: Record<string, string>): Promise<Uint8Array> {
  const file = new TempBuffer();
  const writer = new McapWriter({ writable: file, chunkSize: 1_024 });
  await writer.start({ library: "", profile: "" });
  await writer.addMetadata({ name: "start", metadata: new Map([["operator", "Ada"]]) });
  const channelId = await writer.registerChannel({
    topic: "/a",
    schemaId: 0,
    messageEncoding: "json",
    metadata: new Map(),
  });
  const data = new Uint8Array(messageBytes);
  await writer.addMessage({ channelId, sequence: 0, logTime: 0n, publishTime: 0n, data });
  await writer.addMetadata({ name: "end", metadata: new Map(Object.entries(atEnd)) });
  await writer.end();
  return file.get();
}

/** Counts the bytes that are read of a file. */
function countReads(bytes: Uint8Array): { source: ByteSource; read: () => number } {
  const inner = memorySource(bytes);
  let total = 0;
  const read: ByteSource["read"] = (offset, length) => {
    total += length;
    return inner.read(offset, length);
  };
  return { source: { ...inner, read }, read: () => total };
}

describe("the metadata of an MCAP file", () => {
  test("is found at its beginning and by its index, each record once", async () => {
    for (const messageBytes of [10, 300_000]) {
      const bytes = await write(messageBytes, { robot_name: "arm-01" });
      expect(await readFileMetadata(memorySource(bytes))).toEqual([
        ["operator", "Ada"],
        ["robot_name", "arm-01"],
      ]);
    }
  });

  test("is found by reading less than 100 kB of a large file", async () => {
    const { source, read } = countReads(await write(4_000_000, { robot_name: "arm-01" }));
    expect(await readFileMetadata(source)).toContainEqual(["robot_name", "arm-01"]);
    expect(read()).toBeLessThan(100_000);
  });

  test("is empty for other files, and what damage leaves for damaged ones", async () => {
    for (const text of ["", "a", "ULog", "x".repeat(200)])
      expect(await readFileMetadata(memorySource(new TextEncoder().encode(text)))).toEqual([]);
    const whole = await write(300_000, { robot_name: "arm-01" });
    expect(await readFileMetadata(memorySource(whole.subarray(0, 200_000)))).toEqual([["operator", "Ada"]]);
    for (let at = whole.length - 400; at < whole.length; at++) {
      const damaged = Uint8Array.from(whole);
      damaged[at] = 0xff - (damaged[at] ?? 0);
      expect((await readFileMetadata(memorySource(damaged)))[0]).toEqual(["operator", "Ada"]);
    }
  });
});
