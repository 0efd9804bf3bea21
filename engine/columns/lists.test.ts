import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { encode as encodeCbor } from "cborg";
import { describe, expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses } from "@/engine/testing/compare-passes";
import { describeSignals, SignalsInMemory } from "@/engine/testing/describe-signals";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const schema = "float64[] data\nfloat64 last\n";
const writer = new MessageWriter(parse(schema, { ros2: true }));
const encodings = {
  cdr: (value: object): Uint8Array => writer.writeMessage(value),
  json: (value: object): Uint8Array => Buffer.from(JSON.stringify(value)),
  cbor: (value: object): Uint8Array => encodeCbor(value),
};
const cases = Object.entries(encodings);

/** A recording of lists of the given lengths, whose elements are their positions. */
function write(encoding: string, encode: (value: object) => Uint8Array, lengths: readonly number[]) {
  const ros = { schemaEncoding: "ros2msg", schemaName: "pkg/msg/A", schema };
  const messages = lengths.map((length, i) => ({
    topic: "/a",
    time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n,
    data: encode({ data: Array.from({ length }, (_, n) => n + 0.5), last: i }),
  }));
  return writeMcap([{ topic: "/a", messageEncoding: encoding, ...(encoding === "cdr" && ros) }], messages);
}

/** The numbers of elements that are fields, have series, and are columns; and those of each row. */
async function read(file: Uint8Array) {
  const codecs = await recordingCodecs();
  const sources = [memorySource(file)];
  expect(await comparePasses(sources, [], { codecs })).toMatchObject({ differences: [], signals: true });
  const signals = new SignalsInMemory();
  const pass = await processColumns(sources, [], { codecs, signals: () => signals.begin() });
  const isElement = (path: string): boolean => path.startsWith("data[");
  const described = (await describeSignals(sources, codecs)).get("/a") as { read: unknown[][] };
  return {
    long: pass.topics.getReading("/a").longLists,
    fields: pass.topics.getReading("/a").fields.filter(({ path }) => isElement(path)).length,
    series: [...pass.series.finish()].filter(({ field }) => isElement(field)).length,
    columns: pass.signals![0]!.fields.filter(({ path }) => isElement(path)).length,
    rows: described.read.map((row) => row.filter((value) => Number(value) % 1 === 0.5).length),
  };
}

describe("elements of lists", () => {
  it.each(cases)("of %s: the first 64 are fields, as many as there are", async (encoding, encode) => {
    expect(await read(await write(encoding, encode, [29, 29, 29]))).toMatchObject({
      fields: 29,
      series: 29,
      columns: 29,
    });
    const long = await read(await write(encoding, encode, [256, 256, 12]));
    expect(long).toEqual({ long: [], fields: 64, series: 64, columns: 64, rows: [64, 64, 12] });
  });

  it.each(cases)("of %s: a list that grows loses nothing of them", async (encoding, encode) => {
    const grown = await read(await write(encoding, encode, [3, 17, 64, 65, 300, 3]));
    expect(grown).toEqual({ long: [], fields: 64, series: 64, columns: 64, rows: [3, 17, 64, 64, 64, 3] });
  });

  it.each(cases)("of %s: one that is longer at first has none, also once it is short", async (encoding, encode) => {
    const scan = await read(await write(encoding, encode, [720, 720, 5]));
    const long = [{ path: "data", elements: 720 }];
    expect(scan).toEqual({ long, fields: 0, series: 0, columns: 0, rows: [0, 0, 0] });
  });
});

it("lists of a fixed length beyond 256 elements are known from the schema", async () => {
  const definition = "pkg/Part part\nuint8[9000] bytes\n===\nMSG: pkg/Part\nfloat32[720] ranges\nfloat32[256] kept\n";
  const data = new MessageWriter(parse(definition, { ros2: true })).writeMessage({});
  const channel = { topic: "/a", messageEncoding: "cdr", schemaEncoding: "ros2msg", schemaName: "pkg/msg/A" };
  const file = await writeMcap([{ ...channel, schema: definition }], [{ topic: "/a", time: 1n, data }]);
  const pass = await processColumns([memorySource(file)], [], { codecs: await recordingCodecs() });
  expect(pass.topics.getReading("/a").longLists).toEqual([{ path: "part.ranges", elements: 720 }]);
});

it("an element of a list that does not fit at first is no field later, without the values that it had", async () => {
  const write = (trace: number) => ({
    full: Array.from({ length: 64 }, () => Array.from({ length: 7 }, (_, n) => n)),
    tools: [{ q: 1, trace: Array.from({ length: trace }, (_, n) => n) }],
  });
  const messages = [64, 2, 2].map((trace, i) => {
    return { topic: "/a", time: BigInt(i + 1), data: encodings.json(write(trace)) };
  });
  const file = await writeMcap([{ topic: "/a", messageEncoding: "json" }], messages);
  const pass = await processColumns([memorySource(file)], [], { codecs: await recordingCodecs() });
  expect(pass.topics.getReading("/a").fields.filter(({ path }) => path.startsWith("tools"))).toEqual([]);
});
