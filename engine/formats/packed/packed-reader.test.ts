import { describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { encodePack } from "@/engine/formats/packed-recording";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { bz2Bag } from "@/engine/testing/bz2-bag";
import { makeCase, mutateFiles, Random } from "@/engine/testing/recording-cases";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

interface Known {
  time: bigint;
  topic: string;
  data: string;
}
const toKnown = ({ logTime, channel, data }: RawMessage): Known => ({
  time: logTime,
  topic: channel.topic,
  data: Buffer.from(data).toString("base64"),
});
const sortKnown = (list: Known[]): Known[] =>
  list.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.data < b.data ? -1 : 1));

/** All messages as the reader gives them, and the same files opened by their pack; null when they cannot be read. */
async function openBoth(files: readonly Uint8Array[]) {
  const codecs = await recordingCodecs();
  const reads: [offset: number, length: number][] = [];
  const sources = files.map((bytes, at) => ({ ...memorySource(bytes), id: `file-${at}` }));
  const known: Known[] = [];
  try {
    const reader = await openRecording(sources, codecs, { timeBudgetMs: 20_000 });
    const { startTime, endTime } = await reader.summary();
    for await (const batch of reader.messages()) known.push(...batch.map(toKnown));
    const counted = sources.map((source) => ({
      ...source,
      read: (offset: number, length: number) => {
        reads.push([offset, length]);
        return source.read(offset, length);
      },
    }));
    const packed = openPacked(reader.pack(), new Map(counted.map((source) => [source.id, source])), codecs)!;
    packed.chunks.range = { start: startTime, end: endTime };
    return { ...packed, pack: reader.pack(), known, startTime, endTime, reads };
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
}

async function expectSame(files: readonly Uint8Array[], random: Random): Promise<boolean> {
  const opened = await openBoth(files);
  if (opened === null) return false;
  const { chunks, reader, known, startTime, endTime } = opened;
  const again: Known[] = [];
  for await (const batch of reader.messages({ start: startTime, end: endTime })) again.push(...batch.map(toKnown));
  expect(again).toEqual(known);

  const topics = [...new Set(known.map(({ topic }) => topic))];
  const moments = [startTime - 1n, startTime, endTime, endTime + 1n];
  const span = Number(endTime - startTime) + 1;
  for (let n = 0; n < 12; n++) moments.push(startTime + BigInt(Math.floor(random.next() * span)));
  for (const topic of topics) {
    const own = known.filter((message) => message.topic === topic);
    for (const at of moments) {
      const latest = await chunks.findLatest(topic, at);
      const expected = own.findLast(({ time }) => time <= at);
      expect(latest?.logTime).toBe(expected?.time);
      if (latest) expect(own).toContainEqual(toKnown(latest));
    }
    expect((await chunks.findFirst(topic))?.logTime).toBe(own[0]?.time);
    const [from, to] = [moments.at(-1)!, moments.at(-2)!].sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint];
    const between = await chunks.listBetween(topic, { start: from, end: to });
    const expected = own.filter(({ time }) => time >= from && time <= to);
    expect(sortKnown(between.map(toKnown))).toEqual(sortKnown(expected));
  }
  return true;
}

describe("a recording opened by its pack", () => {
  test("gives the same messages, the latest at any moment and those between two", async () => {
    const random = new Random(5);
    let read = 0;
    for (let seed = 300; seed < 316; seed++) {
      const { files } = await makeCase(seed, 120);
      if (await expectSame(files, random)) read += 1;
    }
    expect(read).toBeGreaterThan(10);
  });

  test("gives the same messages of damaged files as a reader that went through them", async () => {
    const random = new Random(6);
    let read = 0;
    for (let seed = 400; seed < 416; seed++) {
      const { files } = await makeCase(seed, 80);
      if (await expectSame(mutateFiles(files, seed), random)) read += 1;
    }
    expect(read).toBeGreaterThan(5);
  });

  test("may be a bag compressed by bzip2", async () => {
    expect(await expectSame([bz2Bag()], new Random(7))).toBe(true);
  });

  const second = 1_000_000_000n;
  const sparse = async () => {
    const channels = ["/often", "/once"].map((topic) => ({
      topic,
      messageEncoding: "json",
      schemaName: "any",
      schemaEncoding: "jsonschema",
      schema: "{}",
    }));
    const messages = Array.from({ length: 400 }, (_, at) => ({
      topic: "/often",
      time: BigInt(at) * second,
      data: Buffer.alloc(1_000, at),
    }));
    messages.splice(3, 0, { topic: "/once", time: 2n * second + 1n, data: Buffer.from("{}") });
    return writeMcap(channels, messages, { compression: "zstd", chunkBytes: 10_000 });
  };

  test("reads only the chunk of a message that came once, from any later moment", async () => {
    const opened = (await openBoth([await sparse()]))!;
    expect((await opened.chunks.findLatest("/once", 390n * second))?.logTime).toBe(2n * second + 1n);
    expect(await opened.chunks.findLatest("/once", second)).toBeNull();
    expect(opened.reads).toHaveLength(1);
  });

  test("narrows a range around a moment to what may be read", async () => {
    const { chunks } = (await openBoth([await sparse()]))!;
    const [at, range] = [205n * second, { start: -9n, end: 900n * second }];
    const whole = chunks.narrow(["/often"], range, at, Infinity);
    expect(whole).toEqual({ start: 0n, end: 399n * second });
    const { start, end } = chunks.narrow(["/often"], range, at, 60_000);
    expect([start > 150n * second, start <= at, end >= at, end < 260n * second]).toEqual([true, true, true, true]);
    expect((await chunks.listBetween("/often", { start, end })).length).toBeGreaterThan(30);
    const least = chunks.narrow(["/often"], range, at, 0);
    expect([least.start <= at, least.end >= at]).toEqual([true, true]);
    expect((await chunks.listBetween("/often", least)).length).toBeGreaterThan(5);
  });

  test("reads a few chunks ahead at once, which what is asked for does not wait for, and others after a jump", async () => {
    const bytes = await sparse();
    const { pack } = (await openBoth([bytes]))!;
    const source = memorySource(bytes);
    const reads: { offset: number; answer: () => void }[] = [];
    const read = (offset: number, length: number) =>
      new Promise<Uint8Array>((resolve) =>
        reads.push({ offset, answer: () => void source.read(offset, length).then(resolve) }),
      );
    const { chunks } = openPacked(
      pack,
      new Map([["file-0", { ...source, id: "file-0", read }]]),
      await recordingCodecs(),
    )!;
    chunks.range = { start: 0n, end: 399n * second };
    chunks.readAhead(["/often"], { start: 100n * second, end: 300n * second }, 200n * second, 1e9);
    await expect.poll(() => reads.length).toBe(4);
    const asked = chunks.findLatest("/often", 390n * second);
    await expect.poll(() => reads.length).toBe(5);

    // The playhead is elsewhere: of what was to be read only what is on its way already comes.
    chunks.readAhead(["/often"], { start: 0n, end: 20n * second }, 10n * second, 1e9);
    const before = reads.map(({ offset }) => offset);
    for (const { answer } of reads) answer();
    expect((await asked)?.logTime).toBe(390n * second);
    await expect.poll(() => reads.length).toBeGreaterThan(6);
    const later = reads.slice(5).map(({ offset }) => offset);
    expect(Math.max(...later)).toBeLessThan(Math.min(...before));
    expect(later.length).toBeLessThanOrEqual(4);
  });

  test("keeps chunks in memory up to its budget, those nearest to the moment asked for", async () => {
    const opened = (await openBoth([await sparse()]))!;
    const { chunks, reads } = opened;
    for (let at = 0n; at < 400n; at += 10n) await chunks.findLatest("/often", at * second);
    const all = reads.length;
    await chunks.findLatest("/often", 5n * second);
    expect(reads).toHaveLength(all);
    const small = (await openBoth([await sparse()]))!;
    Object.assign(small.chunks, { budgetBytes: 25_000 });
    for (let at = 0n; at < 400n; at += 10n) await small.chunks.findLatest("/often", at * second);
    const before = small.reads.length;
    await small.chunks.findLatest("/often", 390n * second);
    expect(small.reads).toHaveLength(before);
    await small.chunks.findLatest("/often", 5n * second);
    expect(small.reads).toHaveLength(before + 1);
  });

  test("of another version is not opened, and a damaged one is refused", async () => {
    const codecs = await recordingCodecs();
    const bytes = encodePack([]);
    const other = new Uint8Array(bytes);
    other[bytes.indexOf(1, 1)] = 99;
    expect(openPacked(other, new Map(), codecs)).toBeNull();
    expect(() => openPacked(bytes.subarray(0, 5), new Map(), codecs)).toThrow(RecordingError);
  });
});

test("topics are ready at a moment once the chunk that may hold their last message was read, or cannot be", async () => {
  const channel = { messageEncoding: "json", schemaName: "S", schemaEncoding: "jsonschema", schema: "{}" };
  const messages = Array.from({ length: 200 }, (_, n) => ({
    topic: n < 100 ? "/early" : "/late",
    time: 1_000n * BigInt(n + 1),
    data: Buffer.alloc(20_000, "1"),
  }));
  const opened = await openBoth([
    await writeMcap(
      ["/early", "/late"].map((topic) => ({ ...channel, topic })),
      messages,
      { chunkBytes: 200_000 },
    ),
  ]);
  const { chunks, reads } = opened!;
  expect(chunks.isReady(["/early"], 50_000n)).toBe(false);
  // Before its first message there is nothing to read of a topic.
  expect(chunks.isReady(["/late"], 50_000n)).toBe(true);
  await chunks.makeReady(["/early", "/late"], 50_000n);
  expect(reads).toHaveLength(1);
  expect(chunks.isReady(["/early", "/late"], 50_000n)).toBe(true);
  expect(chunks.isReady(["/early"], 90_000n)).toBe(false);

  const lost = { ...memorySource(new Uint8Array(0)), id: "file-0" };
  const { chunks: unread } = openPacked(opened!.pack, new Map([["file-0", lost]]), await recordingCodecs())!;
  await unread.makeReady(["/early"], 50_000n);
  expect(unread.isReady(["/early"], 50_000n)).toBe(true);
});
