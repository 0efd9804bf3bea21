import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { encode as encodeMsgpack } from "@msgpack/msgpack";
import { encode as encodeCbor } from "cborg";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { caseStart, Random, type RecordingCase } from "@/engine/testing/recording-cases";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

/** Lists of every kind that messages have, with times within and beside them. */
const LISTS = `time stamp
duration took
float64[] position
int64[] ticks
string[] name
bool[] limits
pkg/Motor[20] motors
pkg/Motor[] tools
time[2] ends
float32[30] fixed
float64 last
=====
MSG: pkg/Motor
uint8 STATE_OFF=0
uint8 STATE_ON=1
uint8 state
time since
float32 q
string label
int16[2] temperature
float64[] trace
`;

const proto = protobuf.parse(
  `syntax = "proto3";
  package robot;
  message Motor { uint32 state = 1; google.protobuf.Timestamp since = 2; float q = 3; string label = 4; repeated double trace = 5; }
  message Plain { google.protobuf.Timestamp stamp = 1; double last = 2; Motor motor = 3; }
  message Lists {
    google.protobuf.Timestamp stamp = 1; repeated double position = 2; repeated int64 ticks = 3; repeated string name = 4;
    repeated bool limits = 5; repeated Motor tools = 6; double last = 7;
  }`,
  { keepCase: true },
).root;
proto.addJSON(protobuf.common.get("google/protobuf/timestamp.proto")!.nested!);
proto.resolveAll();
const descriptors = (proto as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
const schema = descriptors.$type.encode(descriptors).finish();

/** A length of a list: mostly the same, at times one around the limits of what is kept. */
const makeLength = (random: Random, usual: number, wild: number): number =>
  random.chance(wild) ? random.pick([0, 1, 16, 17, 63, 64, 65, 200, 255, 256, 257, 400]) : usual;

/** The objects of one topic: `nanosecond` is the name of that part of a time. */
function makeObjects(random: Random, nanosecond: string): (i: number) => Record<string, unknown> {
  const usual = random.pick([0, 3, 29, 64, 70, 256, 257]);
  const wild = random.pick([0, 0.02, 0.3]);
  const tools = random.pick([0, 2, 5, 70, 300]);
  const time = (ns: number) => ({ sec: 1_760_000_000 + Math.floor(ns / 1e9), [nanosecond]: ns % 1e9 });
  return (i) => {
    const list = (length = makeLength(random, usual, wild)) => Array.from({ length }, (_, n) => Math.cos(i / 20 + n));
    const motor = (n: number) => ({
      state: (i + n) % 3,
      since: time(i * 1_000_000 + n),
      q: Math.fround(Math.sin(i / 9 + n)),
      label: `motor ${(i >> 4) + n}`,
      temperature: [i % 90, -n],
      trace: list(random.chance(wild) ? 70 : 2),
    });
    return {
      stamp: time(i * 10_000_000),
      took: { sec: -1, [nanosecond]: i },
      position: list().map((value) => (random.chance(wild / 9) ? NaN : value)),
      ticks: list().map((_, n) => 9_007_199_254_740_990n + BigInt(i + n)),
      name: list().map((_, n) => `joint_${n}`),
      limits: list().map((value) => value > 0),
      motors: Array.from({ length: 20 }, (_, n) => motor(n)),
      tools: Array.from({ length: random.chance(wild) ? makeLength(random, 3, 0.5) : tools }, (_, n) => motor(n)),
      ends: [time(i), time(i + 1)],
      fixed: list(30).map(Math.fround),
      last: i,
    };
  };
}

/** What the object encodings take of an object: JSON has no integers of 64 bits, and some values are of another kind. */
function toPlain(value: unknown, random: Random, wild: number): unknown {
  if (random.chance(wild)) return random.pick([null, "off", 1.5, { sec: 1.5, nsec: 3 }, { sec: 3, nanosec: 4 }]);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && Number.isNaN(value)) return null;
  if (Array.isArray(value)) return value.map((each) => toPlain(each, random, wild));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each, random, wild)]));
}

function toProto(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(toProto);
  if (typeof value !== "object" || value === null) return value;
  if ("sec" in value && "nsec" in value) return { seconds: value.sec, nanos: value.nsec };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toProto(each)]));
}

/** A recording of lists and times in every encoding, which the seed determines. */
export async function makeListCase(seed: number, count = 120): Promise<RecordingCase> {
  const random = new Random(seed ^ 0x1357_9bdf);
  for (let i = 0; i < 8; i++) random.next();
  const bag = random.chance(0.25);
  const damaged = random.chance(0.3);
  const encode: Record<string, (i: number) => Uint8Array> = {};
  const channels: TestChannel[] = [];
  const add = (channel: TestChannel, write: (i: number) => Uint8Array): void => {
    channels.push(channel);
    encode[channel.topic] = write;
  };
  const ros = { schemaName: "pkg/Lists", schema: LISTS };
  const types = parse(LISTS, { ros2: !bag });
  const writer = bag ? new Ros1Writer(types) : new CdrWriter(types);
  const objects = makeObjects(random, bag ? "nsec" : "nanosec");
  add(
    {
      topic: "/lists",
      messageEncoding: bag ? "ros1" : "cdr",
      schemaEncoding: bag ? "ros1msg" : "ros2msg",
      ...ros,
    },
    (i) => writer.writeMessage(objects(i)),
  );
  if (!bag) {
    const protobufs = { messageEncoding: "protobuf", schemaEncoding: "protobuf", schema };
    for (const [topic, name] of [
      ["/proto", "robot.Lists"],
      ["/plain", "robot.Plain"],
    ] as const) {
      const type = proto.lookupType(name);
      const own = makeObjects(random, "nsec");
      add({ topic, schemaName: name, ...protobufs }, (i) => {
        const { stamp, motors, ...rest } = own(i);
        const motor = i % 3 === 0 || !Array.isArray(motors) ? undefined : (motors[0] as unknown);
        const object = { ...rest, ...(i % 7 !== 0 && { stamp }), ...(motor !== undefined && { motor }) };
        return type.encode(type.fromObject(toProto(object) as object)).finish();
      });
    }
    const wild = random.pick([0, 0.001, 0.02]);
    const encoders = {
      json: (value: unknown) => Buffer.from(JSON.stringify(value)),
      cbor: (value: unknown) => encodeCbor(value),
      msgpack: (value: unknown) => encodeMsgpack(value),
    };
    for (const [messageEncoding, write] of Object.entries(encoders)) {
      const own = makeObjects(random, random.pick(["nsec", "nanosec"]));
      add({ topic: `/${messageEncoding}`, messageEncoding }, (i) => write(toPlain(own(i), random, wild)));
    }
  }
  const messages: TestMessage[] = Array.from({ length: count }, (_, i) =>
    channels.map(({ topic }, n) => {
      const whole = encode[topic]!(i);
      const data = damaged && random.chance(0.04) ? whole.subarray(0, random.below(whole.length + 1)) : whole;
      return { topic, time: caseStart + BigInt(i) * 10_000_000n + BigInt(n), sequence: i, data };
    }),
  ).flat();
  const chunkBytes = random.pick([5000, 60_000, 400_000]);
  const name = `lists, seed ${seed}: ${bag ? "bag" : "mcap"}, ${chunkBytes} B chunks${damaged ? ", damaged" : ""}`;
  const file = bag
    ? writeBag(channels, messages, { compression: "none", chunkBytes })
    : await writeMcap(channels, messages, { compression: "zstd", chunkBytes });
  return { name, files: [file], channels, messages };
}
