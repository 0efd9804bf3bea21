import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { encode as encodeCbor } from "cborg";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor.js";
import { describe, expect, it } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses } from "@/engine/testing/compare-passes";
import { describeSignals, SignalsInMemory } from "@/engine/testing/describe-signals";
import { writeBag } from "@/engine/testing/write-bag";
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

describe.each(["cdr", "ros1"])("lists of structs of %s", (encoding) => {
  const motor = `=====
MSG: pkg/Motor
uint8 MODE_IDLE=0
uint8 MODE_RUN=1
uint8 mode
float64 q
string label
time since
pkg/Motor2 inner
float64[] trace
=====
MSG: pkg/Motor2
int16[4] temperature
`;
  const text = `float64[] before\npkg/Motor[] motors\nfloat64 last\n${motor}`;
  const types = parse(text, { ros2: encoding === "cdr" });
  const structWriter = encoding === "cdr" ? new MessageWriter(types) : new Ros1Writer(types);
  const nanoseconds = encoding === "cdr" ? "nanosec" : "nsec";

  const makeMotor = (n: number, i: number) => ({
    mode: (n + i) % 2,
    q: n === 1 && i === 1 ? NaN : n + 0.5,
    label: `motor ${n}`,
    since: { sec: 1_760_000_000 + i, [nanoseconds]: n },
    inner: { temperature: [n, i, 0, 1] },
    trace: Array.from({ length: n % 4 }, () => n),
  });

  /** A recording of lists of the given lengths. */
  const writeStructs = async (lengths: readonly number[]) => {
    const schemas = encoding === "cdr" ? "ros2msg" : "ros1msg";
    const own = { topic: "/a", messageEncoding: encoding, schemaEncoding: schemas, schemaName: "pkg/A", schema: text };
    const messages = lengths.map((length, i) => ({
      topic: "/a",
      time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n,
      data: structWriter.writeMessage({
        before: [i],
        motors: Array.from({ length }, (_, n) => makeMotor(n, i)),
        last: i,
      }),
    }));
    return encoding === "cdr" ? writeMcap([own], messages) : writeBag([own], messages);
  };

  const readStructs = async (lengths: readonly number[], options = {}) => {
    const sources = [memorySource(await writeStructs(lengths))];
    const condition = { type: "threshold", topic: "/a", field: "motors[2].q", operator: "gt", value: 2 };
    const rules = [{ uid: "rule", version: 1, condition: parseCondition(condition) }];
    const codecs = await recordingCodecs();
    const comparison = await comparePasses(sources, rules, { codecs, ...options });
    expect(comparison).toMatchObject({ differences: [], signals: true });
    const signals = new SignalsInMemory();
    const pass = await processColumns(sources, rules, { codecs, signals: () => signals.begin(), ...options });
    const { fields, longLists } = pass.topics.getReading("/a");
    return {
      columns: comparison.columns,
      paths: fields.map(({ path }) => path),
      kinds: Object.fromEntries(fields.map(({ path, kind }) => [path, kind])),
      counts: Object.fromEntries([...pass.series.finish()].map(({ field, count }) => [field, count])),
      longLists,
      hits: pass.results[0]!.hits.length,
      rows: (await signals.read(pass.signals!)).get("/a")!.rows,
    };
  };

  it.each([true, false])("give fields, series, columns and hits (generated: %s)", async (generate) => {
    const lengths = [2, 4, 1, 0, 4, 4];
    const { columns, paths, kinds, counts, hits, rows, longLists } = await readStructs(lengths, { generate });
    expect(columns).toBe(6);
    expect(longLists).toEqual([]);
    expect(paths.filter((path) => path.startsWith("motors[3]")).sort()).toEqual([
      "motors[3].inner.temperature[0]",
      "motors[3].inner.temperature[1]",
      "motors[3].inner.temperature[2]",
      "motors[3].inner.temperature[3]",
      "motors[3].label",
      "motors[3].mode",
      "motors[3].q",
      "motors[3].since",
    ]);
    expect(paths.filter((path) => path.startsWith("motors[4]"))).toEqual([]);
    expect(kinds).toMatchObject({ "motors[0].mode": "enum", "motors[0].since": "time", last: "number" });
    expect(counts).toMatchObject({ "motors[0].q": 5, "motors[3].q": 3, "motors[3].label": 3, "motors[1].mode": 4 });
    expect(rows.map((row) => row["motors[1].q"])).toEqual([1.5, NaN, null, null, 1.5, 1.5]);
    expect(rows.map((row) => row["motors[2].mode"])).toEqual([null, "MODE_RUN", null, null, "MODE_IDLE", "MODE_RUN"]);
    expect(rows.map((row) => row["motors[2].since"])).toEqual([
      null,
      1_760_000_001_000_000_002n,
      null,
      null,
      1_760_000_004_000_000_002n,
      1_760_000_005_000_000_002n,
    ]);
    expect(rows.map((row) => row["last"])).toEqual([0, 1, 2, 3, 4, 5]);
    // A message without the element neither begins nor ends one.
    expect(hits).toBe(1);
  });

  it("keep as many whole elements as there is room for, also once they grow", async () => {
    const { paths, columns } = await readStructs([3, 300, 80]);
    const elements = new Set(paths.flatMap((path) => /^motors\[(\d+)\]/.exec(path)?.[1] ?? []));
    expect(elements.size).toBe(Math.floor((500 - 64 - 1) / 8));
    expect(paths.filter((path) => path.startsWith("motors"))).toHaveLength(8 * elements.size);
    expect(columns).toBe(3);
  });

  it("have none where the first message has more than 256, and are named", async () => {
    const { paths, longLists } = await readStructs([257, 2]);
    expect([paths.toSorted(), longLists]).toEqual([["before[0]", "last"], [{ path: "motors", elements: 257 }]]);
  });
});

describe("lists of messages of protobuf", () => {
  const { root } = protobuf.parse(`syntax = "proto3"; enum Mode { IDLE = 0; RUN = 1; } message Part { sint32 heat = 1; }
    message Motor { double q = 1; string label = 2; bytes blob = 3; Motor inner = 4; repeated float trace = 5;
      repeated Part parts = 6; Mode mode = 7; optional int64 ticks = 8; Part part = 9; map<string, double> all = 10; }
    message A { repeated Motor motors = 1; double last = 2; map<string, Group> groups = 3; }
    message Group { repeated Part parts = 1; }`);
  root.resolveAll();
  const type = root.lookupType("A");
  const descriptors = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
  const schema = descriptors.$type.encode(descriptors).finish();

  const readLengths = async (lengths: readonly number[], more: object = {}) => {
    const messages = lengths.map((length, i) => {
      const makeMotor = (n: number) => ({
        q: n + 0.5,
        label: `motor ${n}`,
        blob: Buffer.from([n % 256]),
        trace: [n, i],
        parts: [{ heat: 1 }],
        mode: n % 2,
        part: { heat: -n },
        all: { a: 1 },
        ...(n === 1 && { ticks: "9007199254740993" }),
      });
      const data = type
        .encode(type.fromObject({ motors: Array.from({ length }, (_, n) => makeMotor(n)), last: i, ...more }))
        .finish();
      return { topic: "/a", time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n, data };
    });
    const channel = { topic: "/a", messageEncoding: "protobuf", schemaEncoding: "protobuf", schemaName: "A", schema };
    const sources = [memorySource(await writeMcap([channel], messages))];
    const codecs = await recordingCodecs();
    const rules = [
      { type: "threshold", topic: "/a", field: "motors[1].mode", operator: "eq", value: "RUN" },
      { type: "threshold", topic: "/a", field: "motors[250].q", operator: "gt", value: 250 },
    ].map((condition, at) => ({ uid: `rule-${at}`, version: 1, condition: parseCondition(condition) }));
    expect(await comparePasses(sources, rules, { codecs })).toMatchObject({ differences: [], signals: true });
    const signals = new SignalsInMemory();
    const pass = await processColumns(sources, rules, { codecs, signals: () => signals.begin() });
    const { fields, longLists } = pass.topics.getReading("/a");
    return {
      paths: fields.map(({ path }) => path),
      kinds: Object.fromEntries(fields.map(({ path, kind }) => [path, kind])),
      counts: Object.fromEntries([...pass.series.finish()].map(({ field, count }) => [field, count])),
      longLists,
      hits: pass.results.map((result) => result.hits.length),
      rows: (await signals.read(pass.signals!)).get("/a")!.rows,
    };
  };

  it("give fields, series, columns and hits, without lists and maps within them", async () => {
    const { paths, kinds, counts, hits, rows } = await readLengths([2, 0, 300, 1]);
    expect(paths.filter((path) => path.startsWith("motors[1]")).sort()).toEqual([
      "motors[1].label",
      "motors[1].mode",
      "motors[1].part.heat",
      "motors[1].q",
      "motors[1].ticks",
    ]);
    expect(kinds).toMatchObject({ "motors[0].mode": "enum", "motors[0].q": "number", "motors[0].label": "string" });
    expect(counts).toMatchObject({ "motors[0].q": 3, "motors[63].q": 1, "motors[1].part.heat": 2 });
    expect(paths.filter((path) => path.startsWith("motors[64]"))).toEqual([]);
    expect(rows.map((row) => row["motors[1].ticks"])).toEqual([9007199254740993n, null, 9007199254740993n, null]);
    expect(rows.map((row) => row["motors[1].mode"])).toEqual(["RUN", null, "RUN", null]);
    expect(hits).toEqual([1, 1]);
  });

  it("give them for as many whole elements as there is room for", async () => {
    const groups = Object.fromEntries(
      ["a", "b", "c", "d", "e"].map((key) => [key, { parts: Array.from({ length: 64 }, () => ({ heat: 1 })) }]),
    );
    const { paths } = await readLengths([10, 100], { groups });
    const elements = new Set(paths.flatMap((path) => /^motors\[(\d+)\]/.exec(path)?.[1] ?? []));
    expect(paths.length).toBeLessThanOrEqual(500);
    expect(paths.filter((path) => path.startsWith("groups"))).toHaveLength(5 * 64);
    expect(elements.size).toBeGreaterThan(40);
    expect(paths.filter((path) => path.startsWith("motors"))).toHaveLength(4 * elements.size + 1);
  });

  it("give none where the first message has more than 256, and are named", async () => {
    const { paths, longLists } = await readLengths([257, 2]);
    expect([paths, longLists]).toEqual([["last"], [{ path: "motors", elements: 257 }]]);
  });
});
