import { describe, expect, test } from "vitest";
import { openBytes } from "@/engine/testing/drain";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type McapOptions, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

const channels: TestChannel[] = ["/fast", "/slow"].map((topic) => ({
  topic,
  messageEncoding: "ros1",
  schemaName: "std_msgs/Float64",
  schemaEncoding: "ros1msg",
  schema: "float64 data\n",
}));
const data = Buffer.alloc(8);
const at = (seconds: number): bigint => BigInt(Math.round(seconds * 1_000)) * 1_000_000n;

/** Simulated time from `from` to `to`: `/fast` at 10 Hz, `/slow` each two seconds. */
function run(from: number, to: number): TestMessage[] {
  const messages: TestMessage[] = [];
  for (let tick = Math.round(from * 10); tick <= to * 10; tick++) {
    messages.push({ topic: "/fast", time: at(tick / 10), data });
    if (tick % 20 === 0) messages.push({ topic: "/slow", time: at(tick / 10), data });
  }
  return messages;
}

const read = async (...files: Uint8Array[]) => (await (await openBytes(files)).summary()).warnings.sort();
const noIndex = "The file has no index; the file was read through instead.";
const wentBack = (seconds: string, time: string) =>
  `The clock went back ${seconds} s at 1970-01-01T00:0${time}Z: what was recorded after that lies among what was recorded before.`;

describe("a clock that starts again within a file is warned of once", () => {
  const twice = [...run(0, 50), ...run(0.5, 50)];

  test.each<McapOptions>([
    {},
    { chunkBytes: 1_000_000, noMessageIndex: true },
    { chunkBytes: 1_000, compression: "zstd" },
    // Each run is a few chunks, of times that overlap those of the other.
    { chunkBytes: 10_000 },
    { chunkBytes: 1 },
    { chunkBytes: 0, noSummary: true },
  ])("in an MCAP file: %j", async (options) => {
    const warnings = [...(options.noSummary ? [noIndex] : []), wentBack("49.5", "0:50.000")].sort();
    expect(await read(await writeMcap(channels, twice, options))).toEqual(warnings);
  });

  test.each([500, 1_000_000])("in a bag of chunks of %d bytes", async (chunkBytes) => {
    expect(await read(writeBag(channels, twice, { chunkBytes }))).toEqual([wentBack("49.5", "0:50.000")]);
  });

  test("by its longest way back", async () => {
    const often = [...run(0, 20), ...run(5, 80), ...run(3, 30), ...run(25, 40)];
    for (const chunkBytes of [700, 100_000])
      expect(await read(await writeMcap(channels, often, { chunkBytes }))).toEqual([wentBack("77", "1:20.000")]);
  });
});

describe("nothing is said", () => {
  test.each([1, 700, 100_000])("of single messages that come late, in chunks of %d bytes", async (chunkBytes) => {
    const late = run(40, 100).flatMap((message, n) =>
      n % 97 === 96 ? [message, { ...message, time: message.time - at(30) }] : [message],
    );
    expect(await read(await writeMcap(channels, late, { chunkBytes }))).toEqual([]);
  });

  test.each([1, 700, 100_000])("of one topic stored after the other, in chunks of %d bytes", async (chunkBytes) => {
    const sorted = run(0, 60).sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0));
    expect(await read(await writeMcap(channels, sorted, { chunkBytes }))).toEqual([]);
  });

  test("of files whose times overlap", async () => {
    expect(await read(await writeMcap(channels, run(20, 60)), await writeMcap(channels, run(0, 40)))).toEqual([]);
  });
});
