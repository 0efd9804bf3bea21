import { describe, expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import type { Pass } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import type { RecordingSummary } from "@/engine/formats/recording";
import { TimeGroups } from "@/engine/formats/stats/time-groups";
import { drainReader, openBytes } from "@/engine/testing/drain";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type McapOptions, type TestChannel } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const START = 1_760_000_000_000_000_000n;
const DAY = 86_400_000_000_000n;
const channels: TestChannel[] = ["/a", "/tf_static"].map((topic) => ({
  topic,
  messageEncoding: "ros1",
  schemaName: "std_msgs/Float64",
  schemaEncoding: "ros1msg",
  schema: "float64 data\n",
}));

const value = (data: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(data);
  return bytes;
};
/** A hundred messages of one second from a time on. */
const second = (start: bigint, topic = "/a") =>
  Array.from({ length: 100 }, (_, i) => ({ topic, time: start + BigInt(i) * 10_000_000n, data: value(i) }));

async function summarize(files: Uint8Array[]): Promise<{ summary: RecordingSummary; times: bigint[] }> {
  const reader = await openBytes(files);
  const summary = await reader.summary();
  return { summary, times: (await drainReader(reader)).map(({ time }) => time) };
}

const written = (messages: { topic: string; time: bigint; data: Buffer }[], options: McapOptions = {}) =>
  writeMcap(channels, messages, { chunkBytes: 500, ...options });

describe("messages far from the rest of a recording", () => {
  it.each<McapOptions>([{}, { noSummary: true, noMessageIndex: true }, { chunkBytes: 0 }])(
    "of time 0 are warned of, and the recording begins without them: %j",
    async (options) => {
      const latched = { topic: "/tf_static", time: 0n, data: value(0) };
      const { summary, times } = await summarize([await written([latched, ...second(START)], options)]);
      expect(summary).toMatchObject({ startTime: START, endTime: START + 990_000_000n, messageCount: 100, gaps: [] });
      expect(summary.topics.map(({ topic }) => topic)).toEqual(["/a"]);
      expect(summary.warnings).toContain(
        "1 message was left out: its time lies far from the rest of the recording, on 1970-01-01.",
      );
      expect(times).toHaveLength(100);
      expect(times[0]).toBe(START);
    },
  );

  it("are those of the smaller file when two clocks disagree by years", async () => {
    const early = START - 2_000n * DAY;
    const bag = writeBag(channels, second(early).slice(0, 60));
    const { summary, times } = await summarize([bag, await written(second(START))]);
    expect(summary).toMatchObject({ startTime: START, messageCount: 100 });
    expect(summary.warnings.join()).toContain(
      "60 messages were left out: their times lie far from the rest of the recording, on 2020-04-18.",
    );
    expect(times).toHaveLength(100);
  });

  it("are the earlier ones of two equal groups", async () => {
    const { summary } = await summarize([await written([...second(START), ...second(START + 31n * DAY)])]);
    expect(summary).toMatchObject({ startTime: START + 31n * DAY, messageCount: 100 });
  });

  it("are none when no more than 30 days part them, or when all lie before 2000", async () => {
    const { summary } = await summarize([await written([...second(START), ...second(START + 29n * DAY)])]);
    expect(summary).toMatchObject({ startTime: START, messageCount: 200, warnings: [] });
    const boot = await summarize([await written([...second(5_000_000_000n), ...second(60n * DAY)])]);
    expect(boot.summary).toMatchObject({ startTime: 5_000_000_000n, messageCount: 200, warnings: [] });
  });

  it("are no samples of series and rules", async () => {
    const stray = { topic: "/a", time: 1n, data: value(1_000) };
    const late = { topic: "/a", time: START + 400n * DAY, data: value(2_000) };
    const condition = { type: "threshold", topic: "/a", field: "data", operator: "gt", value: 500 } as const;
    const rules = [
      { uid: "high", version: 1, condition },
      { uid: "silent", version: 1, condition: { type: "absence", topic: "/a", timeout: "10s" } as const },
    ];
    const file = await written([stray, ...second(START), late]);
    const pass: Pass = await processColumns([memorySource(file)], rules, { codecs: await recordingCodecs() });
    expect(pass.results.map(({ hits }) => hits)).toEqual([[], []]);
    expect(pass.summary.messageCount).toBe(100);
    // The days are those of the messages that were left out.
    expect(pass.warnings).toContain(
      "2 messages were left out: their times lie far from the rest of the recording, on 1970-01-01 and 2026-11-13.",
    );
  });
});

it("groups of times are the same however the times come", () => {
  const times = [1n, 5n, 3n * DAY, START, START + 29n * DAY, START + 58n * DAY, START + 90n * DAY, START + 91n * DAY];
  const inOrder = new TimeGroups();
  inOrder.add(BigInt64Array.from(times));
  expect(inOrder.main()).toEqual({ start: START, end: START + 58n * DAY, count: 3 });
  for (let turn = 1; turn < times.length; turn++) {
    const groups = new TimeGroups();
    for (const time of [...times.slice(turn), ...times.slice(0, turn)]) groups.add(BigInt64Array.of(time));
    expect(groups.main()).toEqual(inOrder.main());
  }
});
