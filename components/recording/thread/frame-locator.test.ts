import { beforeAll, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { FrameLocator } from "./frame-locator";

const start = 1_770_000_000_000_000_000n;
const second = 1_000_000_000n;
const topics = [
  { name: "/tf", schema: "tf2_msgs/msg/TFMessage", message_count: 40, frequency_hz: 2 },
  { name: "/tf_static", schema: "tf2_msgs/msg/TFMessage", message_count: 1, frequency_hz: 0 },
];

const toStamp = (time: bigint) => ({ sec: Number(time / second), nanosec: Number(time % second) });
const link = (time: bigint, frame_id: string, child_frame_id: string, x: number) => ({
  header: { stamp: toStamp(time), frame_id },
  child_frame_id,
  transform: { translation: { x, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } },
});

let chunks: ChunkReader;

beforeAll(async () => {
  const channels = topics.map(({ name, schema }) => ({
    topic: name,
    messageEncoding: "json",
    schemaName: schema,
    schemaEncoding: "jsonschema",
    schema: "{}",
  }));
  const message = (topic: string, time: bigint, ...transforms: object[]) => ({
    topic,
    time,
    data: Buffer.from(JSON.stringify({ transforms })),
  });
  // The robot drives a metre a second; its camera is two metres ahead of its lidar.
  const moves = Array.from({ length: 40 }, (_, n) => {
    const time = start + (BigInt(n) * second) / 2n;
    return message("/tf", time, link(time, "odom", "base_link", n / 2));
  });
  const fixed = [link(start, "base_link", "lidar", 1), link(start, "base_link", "camera", 3), link(start, "a", "b", 1)];
  const messages = [message("/tf_static", start, ...fixed), ...moves];
  const bytes = await writeMcap(channels, messages, { chunkBytes: 2_048 });
  const codecs = await recordingCodecs();
  const source = { ...memorySource(bytes), id: "file" };
  const reader = await openRecording([source], codecs, { timeBudgetMs: 20_000 });
  const { startTime, endTime } = await reader.summary();
  ({ chunks } = openPacked(reader.pack(), new Map([["file", source]]), codecs)!);
  chunks.range = { start: startTime, end: endTime };
});

const open = () => new FrameLocator(topics, chunks, new MessageDecoders());

test("what was measured earlier is followed while the robot drives on", async () => {
  const frames = open();
  for (const seconds of [5n, 6n, 2n, 15n]) {
    const at = start + seconds * second;
    await frames.update(at);
    const now = frames.locate("lidar", at, "camera", at);
    expect(now).toMatchObject({ pose: { position: [-2, 0, 0] } });
    // Half a second earlier the lidar was half a metre further back.
    const earlier = frames.locate("lidar", at - second / 2n, "camera", at);
    expect(earlier).toMatchObject({ pose: { position: [-2.5, 0, 0] } });
  }
});

test("a frame that is not connected is named, with those that are known", async () => {
  const frames = open();
  await frames.update(start + second);
  expect(frames.locate("radar", start, "camera", start)).toEqual({
    reason: "no transform radar ← camera: radar is not connected (known: a, b, base_link, camera, lidar, odom)",
  });
  expect(frames.locate("b", start, "camera", start)).toEqual({
    reason: expect.stringMatching(/^no transform b ← camera: b and camera are in separate trees/) as string,
  });
  expect(frames.locate("radar", start, "radar", start)).toMatchObject({ pose: { position: [0, 0, 0] } });
});
