import { beforeAll, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { TrailFeed } from "./trail-feed";

const start = 1_770_000_000_000_000_000n;
const second = 1_000_000_000n;
let chunks: ChunkReader;

/** A message a second at x = 0, 1, 2, …; the fifth one cannot be read. */
beforeAll(async () => {
  const schema = { schemaName: "nav_msgs/msg/Odometry", schemaEncoding: "jsonschema", schema: "{}" };
  const channel = { topic: "/odom", messageEncoding: "json", ...schema };
  const messages = Array.from({ length: 20 }, (_, n) => {
    const position = { x: n === 5 ? "nowhere" : n, y: 0, z: 0 };
    const value = { header: { frame_id: "odom" }, pose: { pose: { position } } };
    return { topic: "/odom", time: start + BigInt(n) * second, data: Buffer.from(JSON.stringify(value)) };
  });
  const codecs = await recordingCodecs();
  const source = { ...memorySource(await writeMcap([channel], messages, { chunkBytes: 300 })), id: "file" };
  const reader = await openRecording([source], codecs, { timeBudgetMs: 20_000 });
  const { startTime, endTime } = await reader.summary();
  ({ chunks } = openPacked(reader.pack(), new Map([["file", source]]), codecs)!);
  chunks.range = { start: startTime, end: endTime };
});

/** The x of each place of the trail at a moment. */
async function readAt(feed: TrailFeed, moment: number, seconds: number) {
  const latest = (await chunks.findLatest("/odom", start + BigInt(moment) * second))!;
  const { places, isCut } = await feed.read(latest, seconds);
  expect(isCut).toBe(false);
  return places.map(({ position }) => position[0]);
}

test("a trail holds the seconds before a moment, wherever the playhead goes", async () => {
  const feed = new TrailFeed("/odom", chunks, new MessageDecoders());
  expect(await readAt(feed, 10, 3)).toEqual([7, 8, 9, 10]);
  expect(await readAt(feed, 12, 3)).toEqual([9, 10, 11, 12]);
  expect(await readAt(feed, 12, 3)).toEqual([9, 10, 11, 12]);
  // What cannot be read has no place.
  expect(await readAt(feed, 7, 3)).toEqual([4, 6, 7]);
  expect(await readAt(feed, 19, 2)).toEqual([17, 18, 19]);
  expect(await readAt(feed, 2, 30)).toEqual([0, 1, 2]);
  // Longer than before: what lies earlier is read, too.
  expect(await readAt(feed, 18, 2)).toEqual([16, 17, 18]);
  expect(await readAt(feed, 18, 4)).toEqual([14, 15, 16, 17, 18]);
});

test("while it plays, each message is decoded once", async () => {
  const decoders = new MessageDecoders();
  const decoded: bigint[] = [];
  const counting = {
    decode: (message: Parameters<MessageDecoders["decode"]>[0]) => {
      decoded.push(message.logTime);
      return decoders.decode(message);
    },
  } as MessageDecoders;
  const feed = new TrailFeed("/odom", chunks, counting);
  for (const moment of [10, 11, 12, 13]) await readAt(feed, moment, 4);
  expect(decoded).toHaveLength(new Set(decoded).size);
  expect(decoded).toHaveLength(8);
});
