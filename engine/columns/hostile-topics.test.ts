import { expect, it, vi } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { processRecording } from "@/engine/oracle/process-recording";
import { SignalsInMemory } from "@/engine/testing/describe-signals";
import { entangledTypes, hostileChannel, repeatedTypes } from "@/engine/testing/hostile-schemas";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const start = 1_767_258_000_000_000_000n;

/** Thousands of topics take up to a second of a free core, of which complete runs leave a small part. */
const timeout = 60_000;

it("a type that cannot be planned is an error of its topic alone; all others are read", async () => {
  const channels = [
    { ...hostileChannel("ros2msg", repeatedTypes(30, 3, [{ of: "number", array: null }]))!, topic: "/deep" },
    { ...hostileChannel("protobuf", entangledTypes(30))!, topic: "/tangled" },
    { ...hostileChannel("ros2msg", [[{ of: "number", array: null }]])!, topic: "/good", schemaName: "p/msg/Good" },
  ].map(({ schemaData, ...channel }) => ({ ...channel, schema: schemaData }));
  const payload = Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f);
  const messages = channels.map(({ topic }, n) => ({ topic, time: start + BigInt(n), data: payload }));
  const file = await writeMcap(channels, messages);
  for (const read of [processColumns, processRecording]) {
    const pass = await read([memorySource(file)], [], { codecs: await recordingCodecs() });
    const { topics } = pass;
    expect(topics.getReading("/good")).toEqual({
      error: null,
      longLists: [],
      fields: [{ path: "f0", kind: "number" }],
    });
    expect(topics.getReading("/tangled").error).toContain("too often");
    expect(topics.getReading("/deep").error).toContain("shorter than its schema");
    expect(pass.warnings).toEqual([
      expect.stringContaining("/deep could not be decoded"),
      expect.stringContaining("/tangled could not be decoded"),
    ]);
    expect([...pass.series.finish()]).toMatchObject([{ topic: "/good", field: "f0", last: 1 }]);
  }
});

const cdr = (bytes: number): Uint8Array => Uint8Array.from({ length: 4 + bytes }, (_, at) => (at === 1 ? 1 : 0));

/** A recording of so many topics with one message each, all of them of the same type. */
async function manyTopics(count: number, schema: string, bytes: number): Promise<Buffer> {
  const channels = Array.from({ length: count }, (_, n) => ({
    ...{ topic: `/t${n}`, messageEncoding: "cdr", schemaName: "p/msg/T", schemaEncoding: "ros2msg", schema },
  }));
  const data = cdr(bytes);
  const messages = channels.map(({ topic }, n) => ({ topic, time: start + BigInt(n) * 1_000_000n, data }));
  return writeMcap(channels, messages, { compression: "zstd", chunkBytes: 1024 * 1024 });
}

it("gives way between any two of many topics, and ends with its time, however many are opened and planned", async () => {
  const file = await manyTopics(200, "float64 x\n", 8);
  const codecs = await recordingCodecs();
  const clock = vi.spyOn(performance, "now");
  try {
    for (const read of [processColumns, processRecording]) {
      let [time, ways] = [0, 0];
      // Whatever looks at the clock finds that its slice is over.
      clock.mockImplementation(() => (time += 200));
      const giveWay = () => Promise.resolve(void (ways += 1));
      await read([memorySource(file)], [], { codecs, giveWay, limits: { timeBudgetMs: 10_000_000 } });
      expect(ways).toBeGreaterThan(200);
      const short = read([memorySource(file)], [], { codecs, limits: { timeBudgetMs: 20_000 } });
      await expect(short).rejects.toThrow("longer than the");
    }
  } finally {
    clock.mockRestore();
  }
});

it("keeps no room for the columns of each of many topics", { timeout }, async () => {
  const fields = Array.from({ length: 500 }, (_, n) => `uint8 f${n}\n`).join("");
  const file = await manyTopics(1_000, fields, 500);
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const take = () => (peak = Math.max(peak, process.memoryUsage().arrayBuffers - before));
  const options = { codecs: await recordingCodecs(), sinks: () => [{ take }] };
  const pass = await processColumns([memorySource(file)], [], options);
  // Columns of 500 fields take 1 MB.
  expect(peak).toBeLessThan(500_000_000);
  expect(pass.topics.getReading("/t999").fields).toHaveLength(500);
  expect(pass.warnings.filter((line) => line.startsWith("SQL"))).toEqual([]);
});

it(
  "writes the signals of 5,000 topics, and all series there is room for, of a recording with more, and says so",
  { timeout },
  async () => {
    const file = await manyTopics(5_010, "float64 x\n", 8);
    const signals = () => new SignalsInMemory().begin();
    const pass = await processColumns([memorySource(file)], [], { codecs: await recordingCodecs(), signals });
    expect(pass.signals).toHaveLength(5_000);
    expect(pass.summary.topics).toHaveLength(5_010);
    expect([...pass.series.finish()]).toHaveLength(5_010);
    expect(pass.warnings).toEqual(["SQL has the first 5,000 of 5,010 topics."]);
  },
);
