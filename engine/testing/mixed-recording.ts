import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { EVERYTHING } from "@/engine/testing/test-channels";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";

const proto = protobuf.parse(
  `syntax = "proto3";
  package robot;
  enum Mode { IDLE = 0; DRIVE = 1; }
  message State { double speed = 1; string label = 2; Mode mode = 3; int64 ticks = 4; repeated float list = 5; }`,
  { keepCase: true },
).root;
proto.resolveAll();
const State = proto.lookupType("robot.State");
const descriptors = (proto as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");

const channels: TestChannel[] = [
  { topic: "/cdr", messageEncoding: "cdr", schemaName: "pkg/msg/All", schemaEncoding: "ros2msg", schema: EVERYTHING },
  {
    topic: "/idl",
    messageEncoding: "cdr",
    schemaName: "pkg/msg/Level",
    schemaEncoding: "ros2idl",
    schema: "module pkg { module msg { struct Level { double level; }; }; };",
  },
  {
    topic: "/dds",
    messageEncoding: "cdr",
    schemaName: "pkg::Level",
    schemaEncoding: "omgidl",
    schema: "module pkg { struct Level { double level; }; };",
  },
  {
    topic: "/proto",
    messageEncoding: "protobuf",
    schemaName: "robot.State",
    schemaEncoding: "protobuf",
    schema: descriptors.$type.encode(descriptors).finish(),
  },
  { topic: "/json", messageEncoding: "json", schemaName: "status", schemaEncoding: "jsonschema", schema: "{}" },
  { topic: "/broken", messageEncoding: "cdr", schemaName: "pkg/msg/No", schemaEncoding: "ros2msg", schema: "what is" },
];

/** Channels and messages of every encoding that can be decoded, and of one that cannot. */
export function mixedRecording(count: number): { channels: TestChannel[]; messages: TestMessage[] } {
  const writer = new MessageWriter(parse(EVERYTHING, { ros2: true }));
  const payloads: Record<string, (i: number) => Uint8Array> = {
    "/cdr": (i) => writer.writeMessage(everything(i)),
    "/idl": littleEndianDouble,
    "/dds": littleEndianDouble,
    "/proto": (i) =>
      State.encode(
        State.fromObject({ speed: i / 3, label: `é ${i % 5}`, mode: i % 2, ticks: i, list: [i, 1] }),
      ).finish(),
    "/json": (i) =>
      Buffer.from(JSON.stringify({ id: "9007199254740993", level: Math.sin(i), mode: i % 20 < 10 ? "DRIVE" : "IDLE" })),
    "/broken": () => Buffer.alloc(4),
  };
  const messages = Array.from({ length: count }, (_, i) =>
    channels.map(({ topic }, n) => ({
      topic,
      time: 1_760_000_000_000_000_000n + BigInt(i) * 50_000_000n + BigInt(n),
      sequence: i,
      data: payloads[topic]!(i),
    })),
  );
  return { channels, messages: messages.flat() };
}

function littleEndianDouble(value: number): Buffer {
  const payload = Buffer.alloc(12);
  payload[1] = 1;
  payload.writeDoubleLE(value, 4);
  return payload;
}

function everything(i: number): unknown {
  const part = { x: i % 256, y: i * 0.5, z: `Größe ${i % 7}` };
  return {
    flag: i % 2 === 0,
    a: -1,
    b: i % 256,
    name: i % 3 === 0 ? "a name that is longer than a few words, 名前" : "short",
    c: -i,
    d: i,
    e: -i * 1000,
    f: 4_000_000_000,
    g: -9_007_199_254_740_993n,
    h: 18_446_744_073_709_551_615n,
    i: 0.25,
    j: Math.sin(i / 10),
    part,
    parts: [part, part],
    pair: [part, part],
    bytes: Uint8Array.from([1, 2, i % 256]),
    doubles: [i, i + 0.5],
    floats: [1, 2, 3],
    longs: [1n, -1n],
    flags: [true, false],
    names: ["x", "y"],
  };
}
