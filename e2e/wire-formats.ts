import { parse, stringify } from "@foxglove/rosmsg";
import { ros1, ros2jazzy } from "@foxglove/rosmsg-msgs-common";
import { MessageReader as Ros1Reader, MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader } from "@mcap/core";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import type { TestChannel } from "@/engine/testing/write-mcap";

/** A topic whose messages a library of another project encodes and decodes. */
export interface WireTopic {
  channel: TestChannel;
  write: (value: object) => Uint8Array;
  read: (data: Uint8Array) => unknown;
}

type MessageDefinition = ReturnType<typeof parse>[number];
type Known = Readonly<Record<string, MessageDefinition | undefined>>;

/** A standard type with those it needs, itself first. */
function collect(known: Known, name: string): MessageDefinition[] {
  const found = new Map<string, MessageDefinition>();
  const add = (type: string): void => {
    const definition = known[type];
    if (found.has(type) || !definition) return;
    found.set(type, definition);
    for (const { type: needed, isComplex } of definition.definitions)
      if (isComplex === true || needed.includes("/")) add(needed);
  };
  add(name);
  if (found.size === 0) throw new Error(`${name} is not known`);
  return [...found].map(([type, definition]) => ({ ...definition, name: type }));
}

const parseAlone = (text: string): MessageDefinition | undefined => parse(text, { ros2: true, skipTypeFixup: true })[0];

/** What the package of standard types lacks. */
const more: Known = {
  "map_msgs/OccupancyGridUpdate": parseAlone(
    "std_msgs/Header header\nint32 x\nint32 y\nuint32 width\nuint32 height\nint8[] data",
  ),
  "geographic_msgs/GeoPoint": parseAlone("float64 latitude\nfloat64 longitude\nfloat64 altitude"),
  "geographic_msgs/GeoPose": parseAlone("geographic_msgs/GeoPoint position\ngeometry_msgs/Quaternion orientation"),
  "geographic_msgs/GeoPoseStamped": parseAlone("std_msgs/Header header\ngeographic_msgs/GeoPose pose"),
};

/** A topic of ROS 2: CDR with definitions of messages. */
export function ros2Topic(topic: string, name: string): WireTopic {
  const text = stringify(collect({ ...ros2jazzy, ...more }, name)).replaceAll(
    /^(time|duration)(?=[ [])/gm,
    (type) => `builtin_interfaces/${type === "time" ? "Time" : "Duration"}`,
  );
  const definitions = parse(text, { ros2: true });
  const [writer, reader] = [new MessageWriter(definitions), new MessageReader(definitions)];
  const schemaName = name.replace("/", "/msg/");
  return {
    channel: { topic, messageEncoding: "cdr", schemaName, schemaEncoding: "ros2msg", schema: text },
    write: (value) => writer.writeMessage(value),
    read: (data) => reader.readMessage(data),
  };
}

function idl(name: string, struct: string): string {
  const [folder, module] = name.split("/");
  return `${"=".repeat(80)}\nIDL: ${name}\nmodule ${folder} { module ${module} { ${struct} }; };\n`;
}

/** Compressed pictures of ROS 2 with definitions in IDL. */
export function ros2IdlPictures(topic: string): WireTopic {
  const schemaName = "sensor_msgs/msg/CompressedImage";
  const schema = [
    idl(schemaName, "struct CompressedImage { std_msgs::msg::Header header; string format; sequence<uint8> data; };"),
    idl("std_msgs/msg/Header", "struct Header { builtin_interfaces::msg::Time stamp; string frame_id; };"),
    idl("builtin_interfaces/msg/Time", "struct Time { int32 sec; uint32 nanosec; };"),
  ].join("");
  const { write, read } = ros2Topic(topic, "sensor_msgs/CompressedImage");
  return { channel: { topic, messageEncoding: "cdr", schemaName, schemaEncoding: "ros2idl", schema }, write, read };
}

/** A topic of ROS 1. */
export function ros1Topic(topic: string, name: string): WireTopic {
  const text = stringify(collect(ros1, name));
  const definitions = parse(text);
  const [writer, reader] = [new Ros1Writer(definitions), new Ros1Reader(definitions)];
  return {
    channel: { topic, messageEncoding: "ros1", schemaName: name, schemaEncoding: "ros1msg", schema: text },
    write: (value) => writer.writeMessage(value),
    read: (data) => reader.readMessage(data),
  };
}

export function jsonTopic(topic: string, schemaName: string): WireTopic {
  return {
    channel: { topic, messageEncoding: "json", schemaName, schemaEncoding: "jsonschema", schema: "{}" },
    write: (value) => {
      // Bytes are base64 in JSON.
      const members = Object.entries(value).map(([name, part]: [string, unknown]) => [
        name,
        part instanceof Uint8Array ? Buffer.from(part).toString("base64") : part,
      ]);
      return Buffer.from(JSON.stringify(Object.fromEntries(members)));
    },
    read: (data) => JSON.parse(Buffer.from(data).toString()),
  };
}

/** As the public schemas of Foxglove number their fields, of those that the tests need. */
const foxglove = `syntax = "proto3";
package foxglove;
message Time { int64 seconds = 1; int32 nanos = 2; }
message Vector3 { double x = 1; double y = 2; double z = 3; }
message Vector2 { double x = 1; double y = 2; }
message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }
message Pose { Vector3 position = 1; Quaternion orientation = 2; }
message PackedElementField { string name = 1; fixed32 offset = 2; NumericType type = 3;
  enum NumericType { UNKNOWN = 0; UINT8 = 1; INT8 = 2; UINT16 = 3; INT16 = 4; UINT32 = 5; INT32 = 6; FLOAT32 = 7; FLOAT64 = 8; } }
message RawImage { Time timestamp = 1; string frame_id = 7; fixed32 width = 2; fixed32 height = 3; string encoding = 4;
  fixed32 step = 5; bytes data = 6; }
message CompressedImage { Time timestamp = 1; string frame_id = 4; bytes data = 2; string format = 3; }
message PointCloud { Time timestamp = 1; string frame_id = 2; Pose pose = 3; fixed32 point_stride = 4;
  repeated PackedElementField fields = 5; bytes data = 6; }
message Grid { Time timestamp = 1; string frame_id = 2; Pose pose = 3; fixed32 column_count = 4; Vector2 cell_size = 5;
  fixed32 row_stride = 6; fixed32 cell_stride = 7; repeated PackedElementField fields = 8; bytes data = 9; }
message VoxelGrid { Time timestamp = 1; string frame_id = 2; Pose pose = 3; fixed32 row_count = 4; fixed32 column_count = 5;
  Vector3 cell_size = 6; fixed32 slice_stride = 7; fixed32 row_stride = 8; fixed32 cell_stride = 9;
  repeated PackedElementField fields = 10; bytes data = 11; }
message PoseInFrame { Time timestamp = 1; string frame_id = 2; Pose pose = 3; }
message LocationFix { Time timestamp = 6; string frame_id = 7; double latitude = 1; double longitude = 2; double altitude = 3;
  repeated double position_covariance = 4; PositionCovarianceType position_covariance_type = 5;
  enum PositionCovarianceType { UNKNOWN = 0; APPROXIMATED = 1; DIAGONAL_KNOWN = 2; KNOWN = 3; } }
message Log { Time timestamp = 1; Level level = 2; string message = 3; string name = 4; string file = 5; fixed32 line = 6;
  enum Level { UNKNOWN = 0; DEBUG = 1; INFO = 2; WARNING = 3; ERROR = 4; FATAL = 5; } }`;
const { root } = protobuf.parse(foxglove, { keepCase: true });
root.resolveAll();
// Of the module that is imported for what it adds.
const descriptors = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
const descriptorBytes = Buffer.from(descriptors.$type.encode(descriptors).finish());

/** A topic of protobuf messages of Foxglove. */
export function protobufTopic(topic: string, name: string): WireTopic {
  const type = root.lookupType(name);
  return {
    channel: {
      topic,
      messageEncoding: "protobuf",
      schemaName: name,
      schemaEncoding: "protobuf",
      schema: descriptorBytes,
    },
    write: (value) => type.encode(type.fromObject(value)).finish(),
    read: (data) => type.toObject(type.decode(data), { defaults: true, longs: Number }),
  };
}

/** The messages of an MCAP file by topic, as @mcap/core finds them and libraries of other projects decode them. */
export async function readReference(file: Buffer, topics: readonly WireTopic[]): Promise<Map<string, unknown[]>> {
  await zstd.isLoaded;
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(file.length)),
      read: (offset, length) => Promise.resolve(file.subarray(Number(offset), Number(offset + length))),
    },
    decompressHandlers: { zstd: (data, size) => zstd.decompress(data, Number(size)) },
  });
  const found = new Map<string, unknown[]>();
  for await (const { channelId, data } of reader.readMessages()) {
    const name = reader.channelsById.get(channelId)?.topic ?? "";
    const topic = topics.find(({ channel }) => channel.topic === name);
    if (topic) found.set(name, [...(found.get(name) ?? []), topic.read(data)]);
  }
  return found;
}

export const start = 1_770_000_000_000_000_000n;
export const second = 1_000_000_000n;
/** A moment in the forms that ROS 2, ROS 1 and protobuf have. */
export const toStamp = (time: bigint) => ({ sec: Number(time / second), nanosec: Number(time % second) });
export const toStamp1 = (time: bigint) => ({ sec: Number(time / second), nsec: Number(time % second) });
export const toTimestamp = (time: bigint) => ({ seconds: Number(time / second), nanos: Number(time % second) });
