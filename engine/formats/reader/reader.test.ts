import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { drain, drainReader, openBytes } from "@/engine/testing/drain";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type McapOptions, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const SECOND = 1_000_000_000n;

const channels: TestChannel[] = ["/a", "/b", "/c"].map((topic) => ({
  topic,
  messageEncoding: "json",
  schemaName: `schema of ${topic}`,
  schemaEncoding: "jsonschema",
  schema: "{}",
}));
const bagChannels: TestChannel[] = ["/a", "/b"].map((topic) => ({
  topic,
  messageEncoding: "ros1",
  schemaName: "std_msgs/Float64",
  schema: "float64 data\n",
}));

function every(topic: string, periodNs: bigint, count: number, from = SECOND): TestMessage[] {
  return Array.from({ length: count }, (_, i) => ({
    topic,
    time: from + BigInt(i) * periodNs,
    data: Buffer.from(`{"i":${i}}`),
    sequence: i,
  }));
}

async function readSummary(...files: Uint8Array[]): Promise<RecordingSummary> {
  return (await openBytes(files)).summary();
}

describe("formats", () => {
  const messages = [...every("/a", 10_000_000n, 300), ...every("/b", 25_000_000n, 120)];

  it.each<McapOptions>([
    { compression: "" },
    { compression: "lz4" },
    { compression: "zstd" },
    { chunkBytes: 0 },
    { chunkBytes: 0, noSummary: true },
    { chunkBytes: 500, noSummary: true },
    { chunkBytes: 500, noMessageIndex: true },
    { chunkBytes: 500, noMessageIndex: true, noSummary: true, compression: "zstd" },
    { chunkBytes: 1, noCrc: true },
  ])("an MCAP file written with %j reads the same as any other", async (options) => {
    const file = await writeMcap(channels, messages, options);
    const plain = await writeMcap(channels, messages);
    expect(await drain([file])).toEqual(await drain([plain]));
    const { warnings, ...summary } = await readSummary(file);
    const { warnings: none, ...expected } = await readSummary(plain);
    expect(summary).toEqual({ ...expected, channels: expect.any(Array) as unknown });
    expect(none).toEqual([]);
    expect(warnings).toEqual(options.noSummary ? ["The file has no index; the file was read through instead."] : []);
  });

  it.each(["none", "lz4"] as const)(
    "a bag compressed with %s gives its messages, topics and times",
    async (compression) => {
      const file = writeBag(bagChannels, messages, { compression, chunkBytes: 900 });
      const drained = await drain([file]);
      expect(drained).toHaveLength(420);
      expect(drained.map((message) => message.time)).toEqual(messages.map((message) => message.time).sort(byTime));
      const summary = await readSummary(file);
      expect(summary).toMatchObject({ format: "rosbag", messageCount: 420, truncated: false, warnings: [] });
      expect(summary.topics).toMatchObject([
        {
          topic: "/a",
          messageCount: 300,
          medianPeriodNs: 10_000_000n,
          encoding: "ros1",
          schemaName: "std_msgs/Float64",
        },
        { topic: "/b", messageCount: 120, medianPeriodNs: 25_000_000n },
      ]);
    },
  );

  it("a bag that its recorder never closed is read sequentially", async () => {
    const closed = writeBag(bagChannels, messages, { chunkBytes: 900 });
    const unclosed = writeBag(bagChannels, messages, { chunkBytes: 900, unclosed: true });
    expect(await drain([unclosed])).toEqual(await drain([closed]));
    expect(await readSummary(unclosed)).toMatchObject({ messageCount: 420, truncated: true });
  });

  it("files without bytes, of other formats or versions are refused with a reason", async () => {
    const open = (text: string) => openBytes([Buffer.from(text)]);
    await expect(openBytes([])).rejects.toThrow(RecordingError);
    await expect(open("")).rejects.toThrow("The file is empty (zero bytes).");
    await expect(open("MZ\x90\x00 some program")).rejects.toThrow("is neither an MCAP file nor a ROS 1 bag");
    await expect(open("#ROSBAG V1.2\n")).rejects.toThrow("version other than 2.0");
  });

  it("a file without messages has an empty summary", async () => {
    for (const file of [await writeMcap(channels, []), writeBag(bagChannels, [])]) {
      expect(await readSummary(file)).toMatchObject({
        messageCount: 0,
        startTime: 0n,
        endTime: 0n,
        topics: [],
        gaps: [],
      });
      expect(await drain([file])).toEqual([]);
    }
  });
});

describe("summary", () => {
  it("the median period ignores zero periods and needs three messages", async () => {
    const repeated = [0n, 0n, 0n, 100n, 100n, 200n, 300n].map((time) => ({
      topic: "/a",
      time,
      data: Buffer.from("{}"),
    }));
    const summary = await readSummary(
      await writeMcap(channels, [...repeated, ...every("/b", 50n, 2, 0n), ...every("/c", 0n, 5)]),
    );
    const periods = summary.topics.map(({ topic, medianPeriodNs }) => [topic, medianPeriodNs]);
    expect(periods).toEqual([
      ["/a", 100n],
      ["/b", null],
      ["/c", null],
    ]);
  });

  it("periods are exact across chunks that overlap and are stored backwards", async () => {
    const messages = every("/a", 7_000_001n, 500);
    const shuffled = [...messages].reverse();
    for (let i = 0; i + 40 < shuffled.length; i += 40)
      [shuffled[i], shuffled[i + 39]] = [shuffled[i + 39]!, shuffled[i]!];
    const { topics, warnings } = await readSummary(await writeMcap(channels, shuffled, { chunkBytes: 700 }));
    expect(topics[0]).toMatchObject({ medianPeriodNs: 7_000_001n, firstTime: SECOND, messageCount: 500 });
    expect(warnings).toEqual([]);
  });

  it("a silence is a gap only when no topic breaks it, and when it is long for this recording", async () => {
    const early = every("/a", SECOND / 10n, 20);
    const late = every("/a", SECOND / 10n, 20, 10n * SECOND);
    const quiet = await readSummary(await writeMcap(channels, [...early, ...late]));
    expect(quiet.gaps).toEqual([{ startTime: 2_900_000_000n, endTime: 10n * SECOND, kind: "silence" }]);
    const broken = await readSummary(
      await writeMcap(channels, [...early, ...every("/b", SECOND, 8, 3n * SECOND), ...late]),
    );
    expect(broken.gaps).toEqual([]);
    const slow = await readSummary(await writeMcap(channels, every("/a", 30n * SECOND, 10)));
    expect(slow.gaps).toEqual([]);
  });

  it("several files are one stream, and equal channels of them are one channel", async () => {
    const messages = every("/a", 10_000_000n, 200);
    const first = await writeMcap(channels, messages.slice(0, 90));
    const second = await writeMcap(channels, messages.slice(90));
    const summary = await readSummary(second, first);
    expect(summary).toMatchObject({ messageCount: 200, startTime: SECOND, endTime: SECOND + 1_990_000_000n });
    expect(summary.channels).toHaveLength(3);
    expect(summary.topics[0]).toMatchObject({ medianPeriodNs: 10_000_000n });
  });
});

describe("reading a part", () => {
  const messages = [...every("/a", SECOND / 100n, 2000), ...every("/b", SECOND / 10n, 200)];

  it("only messages of the given topics and times are read, both ends included", async () => {
    const file = await writeMcap(channels, messages, { chunkBytes: 2000, compression: "zstd" });
    const window = { start: 5n * SECOND, end: 6n * SECOND };
    const part = await drain([file], { topics: new Set(["/b"]), ...window });
    expect(part).toHaveLength(11);
    expect(part.every(({ topic, time }) => topic === "/b" && time >= window.start && time <= window.end)).toBe(true);
    expect(await drain([file], { topics: new Set(["/none"]) })).toEqual([]);
  });

  it("a second of one topic is read from an indexed file without touching the rest of it", async () => {
    const file = await writeMcap(channels, messages, { chunkBytes: 2000 });
    let bytes = 0;
    const counting = {
      size: file.length,
      read: (offset: number, length: number) => {
        const part = file.subarray(offset, offset + length);
        bytes += part.length;
        return Promise.resolve(part);
      },
    };
    const reader = await openRecording([counting], await recordingCodecs());
    let count = 0;
    const part = { topics: new Set(["/a"]), start: 5n * SECOND, end: 6n * SECOND };
    for await (const batch of reader.messages(part)) count += batch.length;
    expect(count).toBe(101);
    expect(bytes).toBeLessThan(file.length / 2);
  });

  it("an aborted signal stops reading", async () => {
    const reader = await openBytes([await writeMcap(channels, messages)]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(reader.messages({ signal })[Symbol.asyncIterator]().next()).rejects.toThrow("enough");
  });
});

describe("order", () => {
  const message = fc.record({
    topic: fc.constantFrom("/a", "/b", "/c"),
    // Few distinct values, so that ties at every step of the order are common.
    time: fc.bigInt({ min: 0n, max: 40n }),
    sequence: fc.integer({ min: 0, max: 2 }),
    publishTime: fc.bigInt({ min: 0n, max: 2n }),
    data: fc.uint8Array({ minLength: 0, maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
  });
  const storage = fc.record({
    chunkBytes: fc.constantFrom(0, 1, 60, 300, 4000),
    compression: fc.constantFrom("" as const, "lz4" as const, "zstd" as const),
    noSummary: fc.boolean(),
    noMessageIndex: fc.boolean(),
  });

  it("the messages are the same for any chunking, interleaving, split into files and memory limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 60 }),
        fc.array(storage, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat(1000)),
        fc.constantFrom(400, 3000, 1_000_000),
        fc.boolean(),
        async (messages, files, random, mergeBytes, summarize) => {
          const shuffled = messages.map((item) => ({ item, key: random.next().value })).sort((a, b) => a.key - b.key);
          const parts = files.map((_, i) =>
            shuffled.filter(({ key }) => key % files.length === i).map(({ item }) => item),
          );
          const written = await Promise.all(files.map((options, i) => writeMcap(channels, parts[i]!, options)));
          const reader = await openBytes(written, { mergeBytes });
          if (summarize) await reader.summary();
          expect(await drainReader(reader)).toEqual(expectedOrder(messages));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("the summary is the same for any chunking, interleaving and split into files", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 60 }),
        fc.array(storage, { minLength: 1, maxLength: 3 }),
        async (messages, files) => {
          const single = await readSummary(
            await writeMcap(
              channels,
              [...messages].sort((a, b) => byTime(a.time, b.time)),
            ),
          );
          const parts = files.map((options, i) =>
            writeMcap(
              channels,
              messages.filter((_, at) => at % files.length === i),
              options,
            ),
          );
          const split = await readSummary(...(await Promise.all(parts)));
          expect({ ...split, warnings: [], channels: [] }).toEqual({ ...single, warnings: [], channels: [] });
        },
      ),
      { numRuns: 80 },
    );
  });

  it("chunks that all overlap are read in order within little memory", async () => {
    const messages = Array.from({ length: 4000 }, (_, i) => ({
      topic: "/a",
      time: BigInt((i * 7919) % 4000),
      data: Buffer.from(String(i).padStart(40, "0")),
    }));
    const file = await writeMcap(channels, messages, { chunkBytes: 4000, compression: "zstd" });
    const read = await drain([file], {}, { mergeBytes: 30_000 });
    expect(read.map(({ time }) => time)).toEqual(Array.from({ length: 4000 }, (_, i) => BigInt(i)));
  });
});

function expectedOrder(messages: TestMessage[]) {
  return messages
    .map(({ topic, time, data, sequence = 0, publishTime = time }) => ({
      topic,
      time,
      publishTime,
      sequence,
      hex: Buffer.from(data).toString("hex"),
    }))
    .sort(
      (a, b) =>
        byTime(a.time, b.time) ||
        (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0) ||
        a.sequence - b.sequence ||
        Buffer.compare(Buffer.from(a.hex, "hex"), Buffer.from(b.hex, "hex")) ||
        byTime(a.publishTime, b.publishTime),
    );
}

function byTime(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
