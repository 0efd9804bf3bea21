import { describe, expect, it } from "vitest";
import { createFieldReader } from "@/engine/decode/field-reader";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

/** What a reader of JSON reads of one field, message by message: its number, or its state. */
function read(values: readonly unknown[], type?: string): unknown[] {
  const schema = type === undefined ? "" : JSON.stringify({ type: "object", properties: { v: { type } } });
  const reader = createFieldReader({
    id: 1,
    topic: "/t",
    messageEncoding: "json",
    schemaName: type === undefined ? "" : "t",
    schemaEncoding: type === undefined ? "" : "jsonschema",
    schemaData: Buffer.from(schema),
  });
  return values.map((v) => {
    reader.read(Buffer.from(JSON.stringify({ v })));
    return reader.fields[0]?.kind === "number" ? reader.values[0] : reader.states[0];
  });
}

describe("a field of JSON that has numbers and texts of numbers", () => {
  it("is numbers when it begins with one, or when its schema says so", () => {
    expect(read([1, "85", " 12.5 ", "-inf", "1e3"])).toEqual([1, 85, 12.5, -Infinity, 1000]);
    expect(read(["85", 1], "number")).toEqual([85, 1]);
  });

  it("has no number where a text is none", () => {
    expect(read([1, "none", "0x10", "nan", ""])).toEqual([1, NaN, NaN, NaN, NaN]);
  });

  it("is texts when it begins with one, and leaves no number out", () => {
    expect(read(["idle", 2, "3", 12345678901234567n.toString()])).toEqual(["idle", 2, "3", "12345678901234567"]);
    expect(read(["7", 8])).toEqual(["7", 8]);
    expect(read([true, 1])).toEqual([true, undefined]);
  });

  it("gives the same series and the same hits in columns and message by message", async () => {
    const messages = Array.from({ length: 900 }, (_, i) => ({
      topic: "/mixed",
      time: BigInt(i) * 1_000_000n,
      data: Buffer.from(
        JSON.stringify({
          number: i % 3 === 0 ? String(Math.sin(i)) : Math.cos(i),
          text: i % 3 === 1 ? i : String(i),
        }),
      ),
    }));
    const files = [memorySource(await writeMcap([{ topic: "/mixed", messageEncoding: "json" }], messages))];
    const codecs = await recordingCodecs();
    const rules = (await makeRules(files, codecs)).slice(0, 100);
    expect((await comparePasses(files, rules, { codecs })).differences).toEqual([]);
  });
});
