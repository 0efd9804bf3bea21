import { expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { findKeyframe } from "@/engine/messages/pictures/keyframes";
import { VideoTimeline, type Located } from "@/engine/messages/pictures/video-timeline";
import { readClip, type ClipName } from "@/engine/testing/clips";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const start = 1_770_000_000_000_000_000n;
const periodNs = 33_333_333n;
const timeAt = (n: number): bigint => start + BigInt(n) * periodNs;

/** A recording of some messages of a clip, in small chunks; `format` is what the messages say. */
async function openClip(name: ClipName, numbers: readonly number[], format: string = name) {
  const units = readClip(name);
  const channel = { topic: "/cam", messageEncoding: "json", schemaName: "foxglove.CompressedVideo", schema: "{}" };
  const bytes = await writeMcap(
    [{ ...channel, schemaEncoding: "jsonschema" }],
    numbers.map((n) => ({
      topic: "/cam",
      time: timeAt(n),
      data: Buffer.from(JSON.stringify({ format, data: Buffer.from(units[n]!).toString("base64") })),
    })),
    { chunkBytes: 4_096 },
  );
  const codecs = await recordingCodecs();
  const source = { ...memorySource(bytes), id: "file" };
  const reader = await openRecording([source], codecs, { timeBudgetMs: 20_000 });
  const { startTime, endTime } = await reader.summary();
  const { chunks } = openPacked(reader.pack(), new Map([["file", source]]), codecs)!;
  chunks.range = { start: startTime, end: endTime };
  return (reach = { span: 20_000_000_000n, maxBytes: 1 << 26 }) =>
    new VideoTimeline("/cam", chunks, new MessageDecoders(), reach);
}

const all = Array.from({ length: 60 }, (_, n) => n);

/** Which pictures of the clip a place in a timeline means. */
function name(timeline: VideoTimeline, located: Located) {
  const find = (number: number) => Number((timeline.get(number)!.time - start) / periodNs);
  if (located.state === "none") return located;
  return { wanted: find(located.wanted), key: find(located.key) };
}

test("the picture of any moment is found with its keyframe, in whatever order they are asked for", async () => {
  const timeline = (await openClip("h264", all))();
  for (const n of [7, 44, 45, 29, 30, 59, 0, 14, 15, 16, 58, 3]) {
    const located = await timeline.locate(timeAt(n) + 5n, 100_000_000n);
    expect(name(timeline, located)).toEqual({ wanted: n, key: n - (n % 15) });
    if (located.state === "found") timeline.trim(located.begin);
  }
});

test("going on lists every message once", async () => {
  const timeline = (await openClip("vp9", all))();
  const seen = new Map<number, bigint>();
  for (let at = start; at <= timeAt(59); at += 16_000_000n) {
    const located = await timeline.locate(at, 200_000_000n);
    if (located.state !== "found") throw new Error("nothing found");
    for (let number = located.begin; number < located.end; number++) seen.set(number, timeline.get(number)!.time);
    timeline.trim(located.begin);
  }
  expect([...seen.values()]).toEqual(all.map(timeAt));
});

test("without a keyframe before it, the next one is named", async () => {
  const timeline = (await openClip("h264", all.slice(4)))();
  for (const at of [timeAt(4), timeAt(9), timeAt(14)])
    expect(await timeline.locate(at, 0n)).toEqual({ state: "none", first: timeAt(15), isKeyless: true });
  const located = await timeline.locate(timeAt(17), 1_000_000_000n);
  expect(name(timeline, located)).toEqual({ wanted: 17, key: 15 });
  if (located.state !== "found") throw new Error("nothing found");
  expect(timeline.findKey(located.wanted)).toBe(located.key);
  expect(timeline.findNextKey(located.wanted)).toBe(timeAt(30));

  const without = (await openClip("h264", [1, 2, 3]))();
  expect(await without.locate(timeAt(2), 0n)).toEqual({ state: "none", first: null, isKeyless: true });
});

test("before the first message nothing is missing but the time", async () => {
  const timeline = (await openClip("h264", all))();
  expect(await timeline.locate(start - 5_000_000_000n, 0n)).toEqual({ state: "none", first: start, isKeyless: false });
});

test("a keyframe beyond the reach is not looked for", async () => {
  const timeline = (await openClip("h264", all))({ span: 100_000_000n, maxBytes: 1 << 26 });
  expect(await timeline.locate(timeAt(10), 0n)).toMatchObject({ state: "none", isKeyless: true });
  const small = (await openClip("h264", all))({ span: 20_000_000_000n, maxBytes: 1 });
  expect(await small.locate(timeAt(14), 0n)).toMatchObject({ state: "none", isKeyless: true });
});

test("messages that are no video say why", async () => {
  const timeline = (await openClip("h264", all, "theora"))();
  for (const at of [timeAt(-9), timeAt(5), timeAt(59)])
    await expect(timeline.locate(at, 0n)).rejects.toThrow('Video of the format "theora" cannot be shown.');
});

test("keyframes are found from the picture of a moment on, there and back", async () => {
  const makeTimeline = await openClip("h264", all.slice(3));
  const find = async (n: number, isNext: boolean) => {
    const found = await findKeyframe(makeTimeline(), timeAt(n) + periodNs / 2n, isNext, timeAt(60));
    return found === null ? null : Number((found - start) / periodNs);
  };
  const numbers = [3, 14, 15, 16, 29, 30, 45, 59];
  expect(await Promise.all(numbers.map((n) => find(n, true)))).toEqual([15, 15, 30, 30, 30, 45, null, null]);
  expect(await Promise.all(numbers.map((n) => find(n, false)))).toEqual([null, null, null, 15, 15, 15, 30, 45]);
});
