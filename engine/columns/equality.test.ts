import { encode as encodeMsgpack } from "@msgpack/msgpack";
import { encode as encodeCbor } from "cborg";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { describe, expect, it } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns, type ColumnOptions } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import { eachRecord, Op } from "@/engine/formats/mcap/mcap-records";
import { comparePasses, makeRules, type Comparison } from "@/engine/testing/compare-passes";
import { makeListCase } from "@/engine/testing/list-cases";
import { makeCase, mutateFiles } from "@/engine/testing/recording-cases";
import { makeThreads } from "@/engine/testing/unpack-threads";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { share } from "@/server/testing/generated-cases";

const seeds = Array.from({ length: 24 }, (_, seed) => seed);

/** Each test takes up to a second of a free core, of which complete runs leave a small part. */
const timeout = 60_000;

type Options = Pick<ColumnOptions, "generate" | "thread">;

async function compare(files: readonly Uint8Array[], options: Options = {}): Promise<Comparison> {
  const codecs = await recordingCodecs();
  const sources = files.map(memorySource);
  const rules = (await makeRules(sources, codecs)).slice(0, 150);
  return comparePasses(sources, rules, { codecs, ...options });
}

const threads = Object.entries(makeThreads(await recordingCodecs()));

describe("reading into columns gives what reading message by message gives", { timeout }, () => {
  it.each(share(seeds))("for generated recordings: seed %i", async (seed) => {
    const { name, files } = await makeCase(seed, 80);
    const comparison = await compare(files);
    expect(comparison, name).toMatchObject({ differences: [], signals: true });
  });

  it("for generated recordings, whose messages are read into columns: seeds 0 to 2", async () => {
    let columns = 0;
    for (const seed of [0, 1, 2]) columns += (await compare((await makeCase(seed, 80)).files)).columns;
    expect(columns).toBeGreaterThan(100);
  });

  it.each([0, 1, 2, 3, 11, 13, 15, 18])("for lists and times of every encoding: seed %i", async (seed) => {
    const { name, files } = await makeListCase(seed, 24);
    expect((await compare(files)).differences, name).toEqual([]);
  });

  it.each(share(seeds.slice(0, 9)))("without generated functions: seed %i", async (seed) => {
    const { name, files } = await makeCase(seed, 80);
    expect((await compare(files, { generate: false })).differences, name).toEqual([]);
  });

  it.each([0, 3, 6])("for lists without generated functions: seed %i", async (seed) => {
    const { name, files } = await makeListCase(seed, 24);
    expect((await compare(files, { generate: false })).differences, name).toEqual([]);
  });

  const beside = threads.flatMap(([name, thread]) =>
    share([31, 32, 33, 34]).map((seed) => [name, seed, thread] as const),
  );
  it.each(beside)("beside %s, of a sound and of a damaged recording: seed %i", async (_, seed, thread) => {
    const { name, files } = await makeCase(seed, 80);
    expect((await compare(files, { thread })).differences, name).toEqual([]);
    expect((await compare(mutateFiles(files, seed), { thread })).differences, `${name}, damaged`).toEqual([]);
  });

  it("for a chunk that holds messages of a topic its index does not name", async () => {
    const { files } = await makeCase(184, 80);
    expect((await compare(mutateFiles(files, 3_691))).differences).toEqual([]);
  });

  it("for a bag whose index names none of the topics in a chunk that are read into columns", async () => {
    const { files } = await makeCase(350_203, 80);
    expect((await compare(mutateFiles(files, 7_004_071))).differences).toEqual([]);
  });

  it("for a bag whose index says that it lists fewer messages than it does", async () => {
    const { files } = await makeCase(1_049, 80);
    expect((await compare(mutateFiles(files, 20_987))).differences).toEqual([]);
  });

  it("for an MCAP file whose index names another topic, which is out of order, for all messages of a chunk", async () => {
    const start = 1_760_000_000_000_000_000n;
    const chunk = (topic: string, from: number) =>
      Array.from({ length: 20 }, (_, i) => {
        const value = from + 2 * i;
        const data = Buffer.from(JSON.stringify({ value }).padEnd(1000));
        return { topic, time: start + BigInt(value) * 1_000_000n, sequence: value, data };
      });
    const messages = [chunk("/true", 0), chunk("/late", 50), chunk("/late", 51), chunk("/true", 100)].flat();
    const channels = ["/late", "/true"].map((topic) => ({ topic, messageEncoding: "json" }));
    const file = await writeMcap(channels, messages, { chunkBytes: 20_000, noCrc: true });
    const [late, own] = [1, 2];
    // Where the last index of each kind has its channel: in the message index itself, and in the chunk's index of those.
    const places = new Map<number, number>();
    eachRecord(file.subarray(8, -8), (op, at) => {
      if (op === Op.MessageIndex) places.set(op, 8 + at);
      if (op === Op.ChunkIndex) places.set(op, 8 + at + 36);
    });
    expect([...places.values()].map((place) => file.readUInt16LE(place))).toEqual([own, own]);
    for (const place of places.values()) file.writeUInt16LE(late, place);
    const comparison = await compare([file]);
    expect(comparison.differences).toEqual([]);
    expect(comparison.columns).toBe(40);
  });

  it("for CBOR and MessagePack, damaged messages among them", async () => {
    const topics = [
      { topic: "/cbor", messageEncoding: "cbor", encode: encodeCbor },
      { topic: "/msgpack", messageEncoding: "msgpack", encode: encodeMsgpack },
    ];
    const messages = Array.from({ length: 400 }, (_, i) => {
      const { topic, encode } = topics[i % 2]!;
      const mode = i < 200 ? "idle" : "run";
      const whole = encode({ speed: Math.sin(i / 30), level: i, ok: i % 60 < 30, mode, pose: { xy: [i / 7, -i] } });
      const data = i % 50 === 49 ? whole.subarray(0, 20) : whole;
      return { topic, time: 1_760_000_000_000_000_000n + BigInt(i) * 10_000_000n, sequence: i, data };
    });
    const file = await writeMcap(
      topics.map(({ topic, messageEncoding }) => ({ topic, messageEncoding })),
      messages,
      { chunkBytes: 5000 },
    );
    const comparison = await compare([file]);
    expect(comparison.differences).toEqual([]);
    expect(comparison.columns).toBeGreaterThan(300);
  });

  it("for maps of protobuf, whose entries come and go in any order, and a schema with a hole", async () => {
    const { root } = protobuf.parse(
      `syntax = "proto3"; package robot; enum Mode { IDLE = 0; DRIVE = 1; } message Gone { double x = 1; }
      message Cell { double volt = 1; uint32 id = 2; optional float heat = 3; }
      message State { map<string, Cell> cells = 1; map<int32, double> temps = 2; map<string, Mode> modes = 3;
        map<bool, int64> counts = 4; double charge = 5; repeated Mode list = 6; Gone gone = 7; }`,
      { keepCase: true },
    );
    root.resolveAll();
    const set = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
    const { file } = set as unknown as { file: { messageType: { name: string }[] }[] };
    file[0]!.messageType = file[0]!.messageType.filter(({ name }) => name !== "Gone");
    const schema = set.$type.encode(set).finish();
    const State = root.lookupType("robot.State");
    const messages = Array.from({ length: 600 }, (_, i) => {
      const keys = i % 2 === 0 ? ["a", "b"] : ["b", "a"];
      const cell = (key: string) => [key, { volt: i % 9 === 4 ? NaN : i, id: i, ...(i % 3 === 0 && { heat: NaN }) }];
      const state = {
        cells: Object.fromEntries([...keys, ...(i > 300 && i % 5 > 0 ? ["odd key"] : [])].map(cell)),
        temps: i % 4 === 0 ? {} : { 7: i, [-5]: -i },
        modes: { left: Number(i % 40 > 30), ...(i > 100 && { right: 7 }) },
        counts: { true: i % 50 === 49 ? "9007199254740993" : i },
        charge: i / 3,
        list: [i % 2, 1],
        gone: { x: i },
      };
      const time = 1_760_000_000_000_000_000n + BigInt(i) * 10_000_000n;
      return { topic: "/state", time, data: State.encode(State.fromObject(state)).finish() };
    });
    const channel = {
      topic: "/state",
      messageEncoding: "protobuf",
      schemaEncoding: "protobuf",
      schemaName: "robot.State",
    };
    const written = await writeMcap([{ ...channel, schema }], messages, { chunkBytes: 5000 });
    const codecs = await recordingCodecs();
    const rules = [
      { type: "threshold", topic: "/state", field: 'modes["left"]', operator: "eq", value: "DRIVE" },
      { type: "threshold", topic: "/state", field: "list[0]", operator: "eq", value: "DRIVE" },
      { type: "threshold", topic: "/state", field: 'cells["odd key"].volt', operator: "gt", value: 300 },
    ].map((condition, at) => ({ uid: `own-${at}`, version: 1, condition: parseCondition(condition) }));
    const made = await makeRules([memorySource(written)], codecs);
    const comparison = await comparePasses([memorySource(written)], [...rules, ...made.slice(0, 150)], { codecs });
    expect(comparison).toMatchObject({ differences: [], columns: 600, signals: true });
    const pass = await processColumns([memorySource(written)], rules, { codecs });
    expect(pass.results.map(({ hits }) => hits.length)).toEqual([15, 300, 27]);
    expect(pass.warnings).toEqual([
      'Some fields of /state cannot be read: "gone" of "robot.State" is of the type "Gone"; the schema does not define it.',
    ]);
  });

  it.each(share(seeds))("for damaged recordings: seed %i", async (seed) => {
    const { name, files } = await makeCase(seed + 100, 60);
    expect((await compare(mutateFiles(files, seed))).differences, `${name}, damaged`).toEqual([]);
  });
});
