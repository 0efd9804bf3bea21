import { expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { processRecording } from "@/engine/pass/pass";
import { entangledTypes, hostileChannel, repeatedTypes } from "@/engine/testing/hostile-schemas";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/recording-codecs";

const start = 1_767_258_000_000_000_000n;

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
    expect(topics.getReading("/good")).toEqual({ error: null, fields: [{ path: "f0", kind: "number" }] });
    expect(topics.getReading("/tangled").error).toContain("too often");
    expect(topics.getReading("/deep").error).toContain("shorter than its schema");
    expect(pass.warnings).toEqual([
      expect.stringContaining("/deep could not be decoded"),
      expect.stringContaining("/tangled could not be decoded"),
    ]);
    expect([...pass.series.finish()]).toMatchObject([{ topic: "/good", field: "f0", last: 1 }]);
  }
});
