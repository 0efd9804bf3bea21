import { beforeAll, describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { TransformReader, type TransformReach } from "@/engine/messages/poses/transform-reader";
import { TransformTree } from "@/engine/messages/poses/transform-tree";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const second = 1_000_000_000n;
const start = 1_770_000_000n * second;
const at = (seconds: number): bigint => start + BigInt(seconds * 1e3) * 1_000_000n;
const topics = [
  { name: "/tf", schema: "tf2_msgs/msg/TFMessage", message_count: "81" },
  { name: "/tf_static", schema: "tf2_msgs/msg/TFMessage", message_count: 2 },
  { name: "/mount", schema: "geometry_msgs/msg/TransformStamped", message_count: 1 },
  { name: "/log", schema: "rcl_interfaces/msg/Log", message_count: 1 },
];
const reach: TransformReach = {
  before: 10n * second,
  after: second / 2n,
  ahead: { first: 0n, next: second },
  near: { before: 0n, after: 10n * second },
};

const link = (parent: string, child: string, x: number) => ({
  header: { frame_id: parent },
  child_frame_id: child,
  transform: { translation: { x, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } },
});

let chunks: ChunkReader;

/** A robot that drives a metre a second for twenty seconds, and then stands without a word for twenty more. */
beforeAll(async () => {
  const channels = topics.map(({ name, schema }) => ({
    topic: name,
    messageEncoding: "json",
    schemaName: schema,
    schemaEncoding: "jsonschema",
    schema: "{}",
  }));
  const message = (topic: string, time: bigint, value: unknown) => ({
    topic,
    time,
    data: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  });
  const moves = Array.from({ length: 81 }, (_, n) =>
    message("/tf", at(n / 4), n === 4 ? "{damaged" : { transforms: [link("odom", "base", n / 4)] }),
  );
  const messages = [
    message("/tf_static", start, { transforms: [link("base", "lidar", 1), link("base", "", 1)] }),
    message("/tf_static", at(40), { transforms: [link("base", "camera", 2)] }),
    message("/mount", at(30), link("lidar", "mount", 3)),
    message("/log", start, { msg: "begun" }),
    ...moves,
  ];
  const bytes = await writeMcap(channels, messages, { chunkBytes: 1_024 });
  const source = { ...memorySource(bytes), id: "file" };
  const reader = await openRecording([source], await recordingCodecs(), { timeBudgetMs: 20_000 });
  const { startTime, endTime } = await reader.summary();
  ({ chunks } = openPacked(reader.pack(), new Map([["file", source]]), await recordingCodecs())!);
  chunks.range = { start: startTime, end: endTime };
});

const open = (own: Partial<TransformReach> = {}) =>
  new TransformReader(topics, chunks, new MessageDecoders(), { ...reach, ...own });

/** What is read for a moment: the seconds of what moves, the frames of what is fixed, and whether it is a jump. */
async function read(reader: TransformReader, seconds: number) {
  const found: { fixed?: string[]; from?: number; to?: number; isJump?: boolean; notes?: string[] } = {};
  for await (const { isJump, list, notes } of reader.read(at(seconds))) {
    const toSeconds = (stamp = 0n) => Number(stamp - start) / 1e9;
    if (notes.length > 0) found.notes = [...(found.notes ?? []), ...notes];
    if (list.some(({ isFixed }) => isFixed)) found.fixed = list.map(({ transform }) => transform.child);
    else Object.assign(found, { from: toSeconds(list[0]?.stamp), to: toSeconds(list.at(-1)?.stamp), isJump });
  }
  return found;
}

describe("a reader of transforms", () => {
  test("gives what holds at any time once, from topics of static transforms and of one message", async () => {
    const reader = open();
    const { fixed, notes } = await read(reader, 15);
    expect(new Set(fixed)).toEqual(new Set(["lidar", "camera", "mount"]));
    expect(notes).toEqual(["1 transform without the name of a frame"]);
    expect(await read(reader, 16)).not.toHaveProperty("fixed");
    expect(reader.moving).toEqual(["/tf"]);
  });

  test("reads on where moments follow each other, nothing twice, and begins anew after a jump", async () => {
    const reader = open();
    expect(await read(reader, 12)).toMatchObject({ from: 2, to: 12.5, isJump: true });
    expect(await read(reader, 12)).toEqual({});
    expect(await read(reader, 12.25)).toEqual({ from: 12.75, to: 13.75, isJump: false });
    expect(await read(reader, 13.25)).toEqual({});
    expect(await read(reader, 12)).toEqual({});
    expect(await read(reader, 11.75)).toEqual({ from: 1.75, to: 12.25, isJump: true });
    expect(await read(reader, 23)).toMatchObject({ from: 13, to: 20, isJump: true });
  });

  test("goes back a little without a jump where its reach allows that", async () => {
    const reader = open({ near: { before: 10n * second, after: 5n * second } });
    expect(await read(reader, 15)).toMatchObject({ from: 5, to: 15.5 });
    expect(await read(reader, 5)).toEqual({});
    expect(await read(reader, 4.75)).toMatchObject({ isJump: true });
  });

  test("gives the last one before where nothing moves any more", async () => {
    expect(await read(open(), 38)).toMatchObject({ from: 20, to: 20, isJump: true });
  });

  test("names messages that cannot be read, and reads the others", async () => {
    const reader = open();
    const { notes, from, to } = await read(reader, 2);
    expect(notes).toContainEqual(expect.stringMatching(/^\/tf: /));
    expect([from, to]).toEqual([0, 2.5]);
  });

  test("fills a tree, which forgets what moved when it jumps", async () => {
    const [reader, tree] = [open(), new TransformTree()];
    for (const seconds of [15, 3]) {
      for await (const found of reader.read(at(seconds))) tree.take(found);
      expect(tree.locate("lidar", "odom", at(seconds))).toMatchObject({ pose: { position: [seconds + 1, 0, 0] } });
    }
    expect(tree.list().find(({ name }) => name === "base")?.newest).toBe(at(3.5));
  });
});
