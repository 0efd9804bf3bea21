import { describe, expect, test } from "vitest";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const channel = { messageEncoding: "json", schemaName: "S", schemaEncoding: "jsonschema", schema: "{}" };
const topics = ["/fast", "/slow"];

/** A part of the file that was requested and not answered yet. */
interface Request {
  answer: () => void;
  signal: AbortSignal | undefined;
}

/** 400 messages of 30 kB, 1 µs apart, 7 in a chunk; every tenth is of `/slow`. Parts come when they are answered. */
async function openSlowly() {
  const messages = Array.from({ length: 400 }, (_, n) => ({
    topic: n % 10 === 0 ? "/slow" : "/fast",
    time: 1_000n * BigInt(n + 1),
    data: Buffer.alloc(30_000, "1"),
  }));
  const bytes = await writeMcap(
    topics.map((topic) => ({ ...channel, topic })),
    messages,
    { chunkBytes: 200_000 },
  );
  const codecs = await recordingCodecs();
  const whole: ByteSource = { ...memorySource(bytes), id: "file" };
  const recording = await openRecording([whole], codecs);
  const { startTime, endTime } = await recording.summary();
  const requests: Request[] = [];
  const read: ByteSource["read"] = (offset, length, _target, signal) =>
    new Promise((resolve, reject) => {
      requests.push({ answer: () => void whole.read(offset, length).then(resolve), signal });
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const { chunks } = openPacked(recording.pack(), new Map([["file", { ...whole, read }]]), codecs)!;
  chunks.range = { start: startTime, end: endTime };
  const answerAll = () => requests.splice(0).map(({ answer }) => answer());
  return { chunks, requests, answerAll, endTime };
}

describe("the last message of a topic", () => {
  test("is asked for in two chunks at once, after the newer one was seen to begin without the topic", async () => {
    const { chunks, requests, answerAll } = await openSlowly();
    const once = chunks.findLatest("/slow", 10_500n);
    expect(requests).toHaveLength(1);
    answerAll();
    // The second chunk holds the eleventh message, but not before this moment.
    await expect.poll(() => requests.length).toBe(1);
    answerAll();
    expect((await once)?.logTime).toBe(1_000n);

    const again = chunks.findLatest("/slow", 150_500n);
    expect(requests).toHaveLength(2);
    answerAll();
    expect((await again)?.logTime).toBe(141_000n);
    // Long after the start of a chunk, the topic is in it.
    const late = chunks.findLatest("/fast", 204_500n);
    expect(requests).toHaveLength(1);
    answerAll();
    expect((await late)?.logTime).toBe(204_000n);
  });
});

describe("what is read ahead", () => {
  test("comes no further when the playhead jumps, but for what is asked for; it can be asked for again", async () => {
    const { chunks, requests, answerAll, endTime } = await openSlowly();
    chunks.readAhead(topics, { start: 100_000n, end: endTime }, 100_000n, 1e9);
    expect(requests).toHaveLength(4);
    const asked = chunks.findLatest("/fast", 100_500n);
    expect(requests).toHaveLength(4);
    chunks.readAhead([], { start: 0n, end: 0n }, 0n, 0);
    expect(requests.filter(({ signal }) => signal?.aborted)).toHaveLength(3);
    answerAll();
    expect((await asked)?.logTime).toBe(100_000n);
    const before = requests.length;
    const next = chunks.findLatest("/fast", 110_500n);
    expect(requests.length).toBeGreaterThan(before);
    expect(chunks.isReady(["/fast"], 110_500n)).toBe(false);
    answerAll();
    expect((await next)?.logTime).toBe(110_000n);
    expect(chunks.isReady(["/fast"], 110_500n)).toBe(true);
  });
});
