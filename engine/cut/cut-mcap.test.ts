import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader, McapStreamReader, McapWriter, TempBuffer, type McapTypes } from "@mcap/core";
import { describe, expect, test } from "vitest";
import { cutMcap, cutMetadataName, emptyReport, type CutReport } from "@/engine/cut/cut-mcap";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { bz2Bag } from "@/engine/testing/bz2-bag";
import { makeCase, mutateFiles, Random } from "@/engine/testing/recording-cases";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { share } from "@/server/testing/generated-cases";

const codecs = await recordingCodecs();
await zstd.isLoaded;
const host = { codecs, compress: (bytes: Uint8Array): Uint8Array => zstd.compress(bytes, 1) };
const toHandlers = (): McapTypes.DecompressHandlers => ({
  zstd: (bytes, size) => codecs.zstd(bytes, Number(size)),
  lz4: (bytes, size) => codecs.lz4(bytes, Number(size)),
});

/** A message as everybody sees it. */
const toText = (topic: string, time: bigint, published: bigint, sequence: number, data: Uint8Array): string =>
  `${time} ${topic} ${published} ${sequence} ${Buffer.from(data).toString("base64")}`;
const rawText = ({ channel, logTime, publishTime, sequence, data }: RawMessage): string =>
  toText(channel.topic, logTime, publishTime, sequence, data);

interface Made {
  bytes: Uint8Array;
  report: CutReport;
}

interface Wanted {
  start?: bigint;
  end?: bigint;
  topics?: ReadonlySet<string> | null;
}

/** A recording, opened and packed, and cuts of it; null when it cannot be read. */
async function open(files: readonly Uint8Array[]) {
  const reads: [offset: number, length: number][] = [];
  const sources = files.map((bytes, at): ByteSource => ({ ...memorySource(bytes), id: `file-${at}` }));
  try {
    const reader = await openRecording(sources, codecs, { timeBudgetMs: 20_000 });
    const summary = await reader.summary();
    const pack = reader.pack();
    const counted = sources.map((source): ByteSource => ({
      ...source,
      read: (offset, length) => {
        reads.push([offset, Math.min(length, source.size - offset)]);
        return source.read(offset, length);
      },
    }));
    const recorded = { start: summary.startTime, end: summary.endTime };
    const counts = new Map(summary.topics.map(({ topic, messageCount }) => [topic, messageCount]));
    const cut = async ({ start = recorded.start, end = recorded.end, topics = null }: Wanted): Promise<Made> => {
      const report = emptyReport();
      const request = { start, end, topics, recorded, counts, about: new Map([["recording", "rec_1"]]) };
      const parts: Uint8Array[] = [];
      for await (const part of cutMcap(pack, counted, host, request, report)!) parts.push(part);
      return { bytes: Buffer.concat(parts), report };
    };
    const list = async (options: { topics?: ReadonlySet<string>; start?: bigint; end?: bigint }) => {
      const found: string[] = [];
      for await (const batch of reader.messages(options)) found.push(...batch.map(rawText));
      return found;
    };
    return { reader, summary, recorded, cut, list, reads, pack };
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
}

/** A cut read by another project's readers, by its index and as a stream, with all checksums; they have to agree. */
async function readElsewhere({ bytes }: Made) {
  const readable = {
    size: () => Promise.resolve(BigInt(bytes.length)),
    read: (offset: bigint, size: bigint) => Promise.resolve(bytes.subarray(Number(offset), Number(offset + size))),
  };
  const indexed = await McapIndexedReader.Initialize({ readable, decompressHandlers: toHandlers() });
  const byIndex: string[] = [];
  for await (const { channelId, logTime, publishTime, sequence, data } of indexed.readMessages({
    validateCrcs: true,
  })) {
    byIndex.push(toText(indexed.channelsById.get(channelId)!.topic, logTime, publishTime, sequence, data));
  }
  const streaming = new McapStreamReader({ validateCrcs: true, decompressHandlers: toHandlers() });
  streaming.append(bytes);
  const streamed: string[] = [];
  const topics = new Map<number, string>();
  for (let record = streaming.nextRecord(); record !== undefined; record = streaming.nextRecord()) {
    if (record.type === "Channel") topics.set(record.id, record.topic);
    if (record.type === "Message") {
      const { channelId, logTime, publishTime, sequence, data } = record;
      streamed.push(toText(topics.get(channelId)!, logTime, publishTime, sequence, data));
    }
  }
  expect(streaming.done()).toBe(true);
  expect([...streamed].sort()).toEqual([...byIndex].sort());
  expect(indexed.statistics?.messageCount).toBe(BigInt(byIndex.length));
  expect(indexed.statistics?.channelCount).toBe(indexed.channelsById.size);
  expect(indexed.statistics?.chunkCount).toBe(indexed.chunkIndexes.length);
  let metadata: ReadonlyMap<string, string> = new Map();
  for await (const record of indexed.readMetadata({ name: cutMetadataName })) metadata = record.metadata;
  return { messages: byIndex, metadata, indexed };
}

const getTime = (text: string): bigint => BigInt(text.slice(0, text.indexOf(" ")));
const getTopic = (text: string): string => text.split(" ")[1]!;

async function expectCuts(files: readonly Uint8Array[], random: Random): Promise<boolean> {
  const opened = await open(files);
  if (opened === null || opened.summary.messageCount === 0) return false;
  const { recorded, cut, list, summary } = opened;
  const span = Number(recorded.end - recorded.start);
  const moment = () => recorded.start + BigInt(Math.floor(random.next() * span));
  const names = summary.topics.map(({ topic }) => topic);
  const [a, b] = [moment(), moment()];
  const wanted: Wanted[] = [
    {},
    { start: a < b ? a : b, end: a < b ? b : a },
    { start: moment(), topics: new Set(names.slice(0, 1)) },
    { end: moment(), topics: new Set(names.filter(() => random.chance(0.6))) },
  ];
  for (const { start = recorded.start, end = recorded.end, topics = null } of wanted) {
    const made = await cut({ start, end, topics });
    const { messages } = await readElsewhere(made);
    const expected = await list({ start, end, ...(topics && { topics }) });
    const inside = messages.filter((text) => getTime(text) >= start);
    expect(inside.sort()).toEqual(expected.sort());
    const before = messages.filter((text) => getTime(text) < start);
    expect(new Set(before.map(getTopic))).toEqual(new Set(made.report.latchedTopics));
    for (const text of before) expect(topics?.has(getTopic(text)) ?? true).toBe(true);
    expect(made.report.messages).toBe(messages.length);
    // The product reads its own cuts, by their index.
    const again = await open([made.bytes]);
    expect(again?.summary.warnings ?? []).toEqual([]);
  }
  return true;
}

describe("a range cut out of a recording", () => {
  test("holds the messages of the range, of every kind of recording", async () => {
    const random = new Random(11);
    let read = 0;
    const seeds = share(Array.from({ length: 18 }, (_, at) => 700 + at));
    for (const seed of seeds) {
      const { files } = await makeCase(seed, 80);
      if (await expectCuts(files, random)) read += 1;
    }
    expect(read).toBeGreaterThan(0.7 * seeds.length);
  });

  test("holds what can be read of damaged files", async () => {
    const random = new Random(12);
    let read = 0;
    const seeds = share(Array.from({ length: 20 }, (_, at) => 800 + at));
    for (const seed of seeds) {
      const { files } = await makeCase(seed, 60);
      if (await expectCuts(mutateFiles(files, seed), random)) read += 1;
    }
    expect(read).toBeGreaterThan(0.35 * seeds.length);
  });

  test("may come from a bag compressed by bzip2", async () => {
    expect(await expectCuts([bz2Bag()], new Random(13))).toBe(true);
  });

  const second = 1_000_000_000n;
  const start = 1_760_000_000n * second;
  const json = (topic: string): TestChannel => ({
    topic,
    messageEncoding: "json",
    schemaName: `of${topic}`,
    schemaEncoding: "jsonschema",
    schema: "{}",
  });
  const bits = new Random(3);
  const noise = Buffer.from(Uint8Array.from({ length: 1_000_000 }, () => bits.below(256)));
  const channels = [json("/cam"), json("/tf_static"), json("/imu")];
  /** `seconds` of pictures ten times a second, of which each chunk holds four, and static transforms at the start. */
  const drive = (seconds: number, { bytes = 5_000, topics = channels, compression = "zstd" as "" | "zstd" } = {}) => {
    const messages: TestMessage[] = [{ topic: "/tf_static", time: start, data: Buffer.from("[1]") }];
    for (let at = 0n; at < BigInt(seconds) * 10n; at++) {
      const data = noise.subarray((Number(at) % 40) * bytes, ((Number(at) % 40) + 1) * bytes);
      const time = start + (at * second) / 10n;
      messages.push(
        { topic: "/cam", time, data, sequence: Number(at) },
        { topic: "/imu", time, data: Buffer.from("{}") },
      );
    }
    return writeMcap(topics, messages, { compression, chunkBytes: 4 * bytes });
  };

  test("copies whole chunks and reads no more than those that overlap it", async () => {
    const opened = (await open([await drive(60)]))!;
    opened.reads.length = 0;
    const made = await opened.cut({ start: start + 20n * second, end: start + 40n * second });
    const { messages, indexed } = await readElsewhere(made);
    expect(messages.filter((text) => getTopic(text) === "/cam")).toHaveLength(201);
    const { copiedChunks, repackedChunks, latchedTopics } = made.report;
    expect(latchedTopics).toEqual(["/tf_static"]);
    expect(copiedChunks).toBeGreaterThanOrEqual(48);
    expect(repackedChunks).toBeLessThanOrEqual(3); // both ends, and what held before
    expect(indexed.chunkIndexes[0]?.messageStartTime).toBe(start);
    const read = opened.reads.reduce((sum, [, length]) => sum + length, 0);
    const overlapping = indexed.chunkIndexes.slice(1).reduce((sum, { chunkLength }) => sum + Number(chunkLength), 0);
    // The first chunk for what held before, and the summary, come in addition.
    expect(read).toBeLessThan(1.02 * overlapping + 40_000 + 16_000);
    expect(opened.reads.length).toBeLessThan(12);
  });

  test("says in its metadata what it is, and puts what held before at its start with its own time", async () => {
    const opened = (await open([await drive(30)]))!;
    const wanted = { start: start + 10n * second, end: start + 11n * second, topics: new Set(["/tf_static", "/imu"]) };
    const made = await opened.cut(wanted);
    const { messages, metadata, indexed } = await readElsewhere(made);
    expect(messages[0]).toBe(toText("/tf_static", start, start, 0, Buffer.from("[1]")));
    expect(messages).toHaveLength(12);
    expect([...indexed.channelsById.values()].map(({ topic }) => topic).sort()).toEqual(["/imu", "/tf_static"]);
    expect(Object.fromEntries(metadata)).toEqual({
      recording: "rec_1",
      from_ns: String(wanted.start),
      to_ns: String(wanted.end),
      latched_topics: '["/tf_static"]',
      latched_messages_left_out: "0",
      damaged_chunks: "0",
    });
    expect(made.bytes.length).toBeLessThan(4_000);
  });

  test("puts the last message of transient-local topics at its start, of transforms all, and keeps what channels say", async () => {
    const file = new TempBuffer();
    const writer = new McapWriter({ writable: file, chunkSize: 20_000 });
    await writer.start({ profile: "ros2", library: "test" });
    const add = async (topic: string, schemaName: string, durability: string) => {
      const schemaId = await writer.registerSchema({ name: schemaName, encoding: "ros2msg", data: new Uint8Array(0) });
      const metadata = new Map([["offered_qos_profiles", `- history: 3\n  durability: ${durability}\n`]]);
      return writer.registerChannel({ topic, schemaId, messageEncoding: "cdr", metadata });
    };
    const tf = await add("/tf_static", "tf2_msgs/msg/TFMessage", "1");
    const map = await add("/map", "nav_msgs/msg/OccupancyGrid", "transient_local");
    const often = await add("/often", "std_msgs/msg/Empty", "2");
    for (let n = 0; n < 100; n++) {
      const logTime = start + (BigInt(n) * second) / 10n;
      const data = Uint8Array.of(n, ...Array.from({ length: 2_000 }, (_, at) => at));
      for (const channelId of [often, ...(n % 10 === 0 ? [tf] : []), ...(n % 5 === 0 ? [map] : [])])
        await writer.addMessage({ channelId, sequence: n, logTime, publishTime: logTime, data });
    }
    await writer.end();
    const opened = (await open([file.get()]))!;
    const from = start + 5n * second + 1n;
    const made = await opened.cut({ start: from });
    const { messages, indexed } = await readElsewhere(made);
    const before = messages.filter((text) => getTime(text) < from);
    expect(before.map(getTopic).sort()).toEqual(
      [...Array.from({ length: 5 }, () => "/tf_static"), "/map", "/tf_static"].sort(),
    );
    expect(before.filter((text) => getTopic(text) === "/map").map(getTime)).toEqual([start + 5n * second]);
    expect(made.report.copiedChunks).toBeGreaterThan(2);
    const channel = [...indexed.channelsById.values()].find(({ topic }) => topic === "/map");
    expect(channel?.metadata.get("offered_qos_profiles")).toContain("transient_local");
    expect(indexed.header.profile).toBe("ros2");
  });

  test("of several files whose numbers mean different things keeps all their topics apart", async () => {
    const one = await drive(3);
    const other = await drive(3, { topics: [json("/imu"), json("/cam"), json("/tf_static")] });
    const opened = (await open([one, other]))!;
    const made = await opened.cut({});
    const { messages } = await readElsewhere(made);
    expect(messages.sort()).toEqual((await opened.list({})).sort());
    expect(made.report.copiedChunks).toBeGreaterThan(0);
  });

  test("leaves a damaged chunk out, counts it, and repacks one whose checksum is wrong", async () => {
    const bytes = Buffer.from(await drive(6, { compression: "" }));
    const opened = (await open([bytes]))!;
    const all = await opened.cut({});
    expect(all.report.damagedChunks).toBe(0);
    // Of the third chunk the head, of the fifth one byte of a picture.
    const offsets: number[] = [];
    for (let at = 8; bytes[at] !== 0x0f; at += 9 + Number(bytes.readBigUInt64LE(at + 1)))
      if (bytes[at] === 0x06) offsets.push(at);
    bytes[offsets[2]!] = 0x63;
    bytes[offsets[4]! + 12_000]! ^= 1;
    const made = await opened.cut({});
    const { messages, metadata } = await readElsewhere(made);
    expect(made.report.damagedChunks).toBe(2);
    expect(metadata.get("damaged_chunks")).toBe("2");
    expect(made.report.repackedChunks).toBeGreaterThan(all.report.repackedChunks);
    expect(messages.length).toBeLessThan(all.report.messages);
    expect(messages.length).toBeGreaterThan(all.report.messages - 12);
  });

  test("is written as it is read: memory does not grow with it, and reading ends with its reader", async () => {
    const bytes = await drive(60, { compression: "", bytes: 25_000 });
    const opened = (await open([bytes]))!;
    const request = {
      ...opened.recorded,
      topics: null,
      recorded: opened.recorded,
      counts: new Map<string, number>(),
      about: new Map<string, string>(),
    };
    let [read, held, most] = [0, 0, 0];
    const source: ByteSource = {
      ...memorySource(bytes),
      id: "file-0",
      read: (offset, length) => {
        read += length;
        held += length;
        most = Math.max(most, held);
        return memorySource(bytes).read(offset, length);
      },
    };
    const cut = cutMcap(opened.pack, [source], host, request, emptyReport())!;
    for await (const part of cut) held -= part.length;
    // Two spans, and what waits to be passed on.
    expect(most).toBeLessThan(10 * 1024 * 1024);
    expect(read).toBeGreaterThan(14_000_000);
    [read] = [0];
    const ended = cutMcap(opened.pack, [source], host, request, emptyReport())!;
    await ended.next();
    await ended.next();
    await ended.return(undefined);
    expect(read).toBeLessThan(10 * 1024 * 1024);
  });
});
