import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { encode as encodeCbor } from "cborg";
import { expect, test } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses, type Comparison } from "@/engine/testing/compare-passes";
import { describeSignals, SignalsInMemory } from "@/engine/testing/describe-signals";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const start = 1_760_000_000_123_456_789n;
const definition = `int64 big
uint64 huge
int64 small
float64 x
float32 short
bool on
uint8 IDLE=0
uint8 DRIVE=1
uint8 mode
int8 tiny
uint32 count
float64[] list
int16[] steps
string name
float64 log_time`;
const writer = new MessageWriter(parse(definition, { ros2: true }));

const make = (topic: string, encode: (i: number) => Uint8Array, count: number): TestMessage[] =>
  Array.from({ length: count }, (_, i) => ({ topic, time: start + BigInt(i) * 1_234_567n, data: encode(i) }));

const writeRos = (encode: (i: number) => object, count: number) =>
  writeMcap(
    [
      {
        topic: "/all",
        messageEncoding: "cdr",
        schemaName: "pkg/msg/All",
        schemaEncoding: "ros2msg",
        schema: definition,
      },
    ],
    make("/all", (i) => writer.writeMessage(encode(i)), count),
    { chunkBytes: 60_000 },
  );

const sample = (i: number) => ({
  big: -5n * BigInt(i) * 1_000_000_000n,
  huge: 9_007_199_254_740_991n - BigInt(i),
  small: BigInt(i - 300),
  x: i % 7 === 3 ? NaN : i / 3,
  short: i % 11 === 5 ? -Infinity : i / 2,
  on: i % 3 === 0,
  mode: i % 4,
  tiny: 50 - (i % 100),
  count: 4_294_967_295 - i,
  list: [i, NaN],
  steps: i % 5 === 0 ? [] : [i % 9, -1],
  name: "never stored",
  log_time: i,
});

async function compare(file: Uint8Array): Promise<Comparison> {
  return comparePasses([memorySource(file)], [], { codecs: await recordingCodecs() });
}

test("columns hold what was recorded: NaN, absent elements of lists, names, integers of 64 bits", async () => {
  const comparison = await compare(await writeRos(sample, 900));
  expect(comparison).toMatchObject({ differences: [], signals: true, columns: 900, merged: 0 });
});

test("what a column of doubles cannot say is taken from the messages", async () => {
  const odd = (i: number) => ({
    ...sample(i),
    ...(i === 400 && { huge: 18_446_744_073_709_551_615n }),
    ...(i === 700 && { big: -9_007_199_254_740_993n }),
    ...(i === 600 && { list: [NaN] }),
  });
  const comparison = await compare(await writeRos(odd, 900));
  expect(comparison).toMatchObject({ differences: [], signals: true, columns: 900 });
});

test("the times of messages are exact where their low half overflows", async () => {
  const near = 1_760_000_000_000_000_000n;
  const overflow = ((near >> 32n) + 1n) << 32n;
  const messages = Array.from({ length: 20 }, (_, i) => ({
    topic: "/all",
    time: overflow - 10n + BigInt(i),
    data: writer.writeMessage(sample(i)),
  }));
  const file = await writeMcap(
    [
      {
        topic: "/all",
        messageEncoding: "cdr",
        schemaName: "pkg/msg/All",
        schemaEncoding: "ros2msg",
        schema: definition,
      },
    ],
    messages,
  );
  expect(await compare(file)).toMatchObject({ differences: [], signals: true, columns: 20 });
});

const writeCbor = (encode: (i: number) => object, count: number) =>
  writeMcap(
    [{ topic: "/cbor", messageEncoding: "cbor" }],
    make("/cbor", (i) => encodeCbor(encode(i)), count),
  );

test("fields that appear later, change their kind or stay away", async () => {
  const later = (i: number) => ({
    level: i,
    ...(i > 300 && { late: i % 2 === 0 }),
    mixed: i < 200 ? true : i < 400 ? "off" : i,
    ...(i % 3 !== 0 && { some: i }),
  });
  expect(await compare(await writeCbor(later, 700))).toMatchObject({ differences: [], signals: true });
});

test("NaN in objects differs from a field that is missing, and is read once", async () => {
  const signals = new SignalsInMemory();
  const options = { codecs: await recordingCodecs(), signals: () => signals.begin() };
  const cbor = await writeCbor((i) => (i % 2 === 0 ? { a: 1 } : { a: 1, b: i % 3 === 0 ? NaN : i }), 12_000);
  const texts = ['{"a":NaN,"b":1}', '{"a":1}', '{"a":2,"b":NaN}', '{"a":Infinity,"b":3}', '{"b":-Infinity,"a":4}'];
  const json = await writeMcap(
    [{ topic: "/json", messageEncoding: "json" }],
    make("/json", (i) => Buffer.from(texts[(i * i) % 5]!), 12_000),
  );
  for (const file of [cbor, json]) {
    expect((await processColumns([memorySource(file)], [], options)).signals).toMatchObject([{ rows: 12_000 }]);
    expect(await compare(file)).toMatchObject({ differences: [], signals: true });
  }
});

test("lists whose length changes are read once, NaN in them included", async () => {
  const signals = new SignalsInMemory();
  const options = { codecs: await recordingCodecs(), signals: () => signals.begin() };
  const ragged = (i: number) => ({ ...sample(i), list: [[], [1], [NaN, i], [i, NaN, 2]][i % 4]! });
  const file = await writeRos(ragged, 12_000);
  expect((await processColumns([memorySource(file)], [], options)).signals).toMatchObject([{ rows: 12_000 }]);
  expect(await compare(file)).toMatchObject({ differences: [], signals: true, columns: 12_000 });
});

test("are given up where most messages would be read a second time", async () => {
  const signals = new SignalsInMemory();
  const options = { codecs: await recordingCodecs(), signals: () => signals.begin() };
  const huge = (i: number) => ({ ...sample(i), huge: 18_446_744_073_709_551_615n });
  const file = await writeRos(huge, 12_000);
  expect((await processColumns([memorySource(file)], [], options)).signals).toBeNull();
  const few = await writeRos(sample, 12_000);
  expect((await processColumns([memorySource(few)], [], options)).signals).toMatchObject([{ rows: 12_000 }]);
});

test.each(["json", "cbor"])("what is neither true nor false is no boolean: %s", async (encoding) => {
  const values = [true, "unknown", false, null, "false", true, 1, [], {}];
  const encode = (on: unknown): Uint8Array =>
    encoding === "json" ? Buffer.from(JSON.stringify({ on })) : encodeCbor({ on });
  const file = await writeMcap(
    [{ topic: "/mode", messageEncoding: encoding }],
    make("/mode", (i) => encode(values[i]), values.length),
  );
  expect(await compare(file)).toMatchObject({ differences: [], signals: true });
  const described = await describeSignals([memorySource(file)], await recordingCodecs());
  const read = values.map((on) => [typeof on === "boolean" ? on : null]);
  expect(described.get("/mode")).toEqual({ rows: values.length, fields: [{ path: "on", type: "bool" }], read });
});
