import zstd from "@foxglove/wasm-zstd";
import { McapWriter } from "@mcap/core";
import { describe, expect, test } from "vitest";
import { cutMcap, emptyReport } from "@/engine/cut/cut-mcap";
import { createDecoder } from "@/engine/decode/decode";
import { memorySource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingReader } from "@/engine/formats/recording";
import { comparePasses } from "@/engine/testing/compare-passes";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const codecs = await recordingCodecs();
await zstd.isLoaded;
const start = 1_760_000_000_000_000_000n;

type Options = Partial<
  Record<"repeatSchemas" | "repeatChannels" | "useStatistics" | "useMessageIndex" | "useChunkIndex", boolean>
>;

/** `/a` and `/b` have a schema in common; `/late`, of another, begins in the middle. Each has the values from `from` on. */
async function write(options: Options, from = 0): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0n;
  const write = async (bytes: Uint8Array): Promise<void> => {
    parts.push(bytes.slice());
    size += BigInt(bytes.length);
  };
  const writer = new McapWriter({ writable: { position: () => size, write }, chunkSize: 400, ...options });
  await writer.start({ profile: "ros2", library: "" });
  const add = async (topic: string, schemaId: number): Promise<number> =>
    writer.registerChannel({ topic, schemaId, messageEncoding: "cdr", metadata: new Map() });
  const addSchema = (name: string, text: string): Promise<number> =>
    writer.registerSchema({ name, encoding: "ros2msg", data: new TextEncoder().encode(text) });
  const common = await addSchema("std_msgs/msg/Float64", "float64 data");
  const channels = [await add("/a", common), await add("/b", common)];
  channels.push(await add("/late", await addSchema("std_msgs/msg/Int64", "int64 data")));
  for (let at = from; at < from + 100; at++) {
    for (const [n, channelId] of channels.entries()) {
      if (n === 2 && at < from + 50) continue;
      const data = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      if (n === 2) data.writeBigInt64LE(BigInt(at), 4);
      else data.writeDoubleLE(at + n / 2, 4);
      const logTime = start + BigInt(at) * 10_000_000n + BigInt(n);
      await writer.addMessage({ channelId, sequence: at, logTime, publishTime: logTime, data });
    }
  }
  await writer.end();
  return Buffer.concat(parts);
}

/** The values of each topic as they are decoded. */
async function readValues(reader: RecordingReader | { messages: RecordingReader["messages"] }) {
  const values: Record<string, unknown[]> = {};
  for await (const batch of reader.messages())
    for (const { channel, data } of batch) {
      const message: unknown = createDecoder(channel).decode(data);
      (values[channel.topic] ??= []).push((message as { data: unknown }).data);
    }
  return values;
}

const expected = (count: number) => ({
  "/a": Array.from({ length: count }, (_, at) => at),
  "/b": Array.from({ length: count }, (_, at) => at + 0.5),
  "/late": Array.from({ length: count }, (_, at) => BigInt(at)).filter((at) => at % 100n >= 50n),
});

async function expectValues(files: readonly Uint8Array[], warnings: string[] = []): Promise<void> {
  const sources = files.map((bytes, at) => ({ ...memorySource(bytes), id: `file-${at}` }));
  const wanted = expected(100 * files.length);
  const reader = await openRecording(sources, codecs);
  expect(await readValues(reader)).toEqual(wanted);
  const summary = await reader.summary();
  expect(summary.warnings).toEqual(warnings);
  expect(summary.channels.map(({ topic, schemaName }) => [topic, schemaName])).toEqual([
    ["/a", "std_msgs/msg/Float64"],
    ["/b", "std_msgs/msg/Float64"],
    ["/late", "std_msgs/msg/Int64"],
  ]);

  const { differences, columns } = await comparePasses(sources, [], { codecs });
  expect(differences).toEqual([]);
  expect(columns).toBe(250 * files.length);

  const pack = reader.pack();
  const byId = new Map(sources.map((source) => [source.id, source]));
  expect(await readValues(openPacked(pack, byId, codecs)!.reader)).toEqual(wanted);

  const recorded = { start: summary.startTime, end: summary.endTime };
  const counts = new Map(summary.topics.map(({ topic, messageCount }) => [topic, messageCount]));
  const request = { ...recorded, topics: null, recorded, counts, about: new Map<string, string>() };
  const host = { codecs, compress: (bytes: Uint8Array): Uint8Array => zstd.compress(bytes, 1) };
  const parts: Uint8Array[] = [];
  for await (const part of cutMcap(pack, sources, host, request, emptyReport())!) parts.push(part);
  expect(await readValues(await openRecording([memorySource(Buffer.concat(parts))], codecs))).toEqual(wanted);
}

describe("an MCAP file is read with all its values, by each reader, where its summary repeats", () => {
  test.each([
    ["schemas only", { repeatChannels: false }],
    ["channels only", { repeatSchemas: false }],
    ["neither schemas nor channels", { repeatSchemas: false, repeatChannels: false }],
  ])("%s", async (_what, repeated) => {
    const noIndex = "The file has no index; the file was read through instead.";
    for (const options of [{}, { useMessageIndex: false }, { useStatistics: false }]) {
      await expectValues([await write({ ...repeated, ...options })]);
      await expectValues([await write({ ...repeated, ...options }), await write({}, 100)]);
    }
    const nothing = { ...repeated, useChunkIndex: false, useStatistics: false, useMessageIndex: false };
    const isEmpty = !Object.values({ repeatSchemas: true, repeatChannels: true, ...repeated }).includes(true);
    await expectValues([await write(nothing)], isEmpty ? [noIndex] : []);
  });

  test("channels only, unless a schema is nowhere: that is said of its topics alone", async () => {
    const file = await write({ repeatSchemas: false });
    const damaged = Buffer.from(file);
    const at = damaged.indexOf("std_msgs/msg/Int64") - 6;
    expect(damaged.readUInt16LE(at)).toBe(2);
    damaged.writeUInt16LE(9, at);
    const reader = await openRecording([memorySource(damaged)], codecs);
    const { warnings } = await reader.summary();
    expect(warnings).toContain('The schema of topic "/late" is missing from the file.');
    expect(warnings.join()).not.toContain('"/a"');
  });
});
