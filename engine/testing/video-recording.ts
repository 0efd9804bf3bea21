import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { readClip, type ClipName } from "@/engine/testing/clips";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

/** A topic of video made of a clip. */
export interface VideoTopic {
  topic: string;
  clip: ClipName;
  /** How its messages are encoded: foxglove.CompressedVideo in one of three ways, or FFMPEGPacket. */
  form: "ros2" | "protobuf" | "json" | "packet";
  /** Whether a picture of the clip is in the recording; all by default. */
  has?: (n: number) => boolean;
  /** What its stamps are ahead of the log by, nanoseconds; they are not set by default. */
  ahead?: bigint;
  /** Changes what was encoded of a picture. */
  change?: (data: Uint8Array, n: number) => Uint8Array;
}

const videoStart = 1_770_000_000_000_000_000n;
/** Nanoseconds between two pictures. */
const videoPeriod = 100_000_000n;
export const videoTime = (n: number): bigint => videoStart + BigInt(n) * videoPeriod;

const compressedVideo = `builtin_interfaces/Time timestamp
string frame_id
uint8[] data
string format
`;
const packet = `std_msgs/Header header
int32 width
int32 height
string encoding
uint64 pts
uint8 flags
bool is_bigendian
uint8[] data
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;
const proto = protobuf.parse(
  `syntax = "proto3";
  package foxglove;
  message Stamp { int64 seconds = 1; int32 nanos = 2; }
  message CompressedVideo { Stamp timestamp = 1; string frame_id = 2; bytes data = 3; string format = 4; }`,
  { keepCase: true },
).root;
proto.resolveAll();
const ProtoVideo = proto.lookupType("foxglove.CompressedVideo");
const descriptors = (proto as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");

const schemas: Record<VideoTopic["form"], Omit<TestChannel, "topic">> = {
  ros2: {
    messageEncoding: "cdr",
    schemaName: "foxglove_msgs/msg/CompressedVideo",
    schemaEncoding: "ros2msg",
    schema: compressedVideo,
  },
  packet: {
    messageEncoding: "cdr",
    schemaName: "ffmpeg_image_transport_msgs/msg/FFMPEGPacket",
    schemaEncoding: "ros2msg",
    schema: packet,
  },
  protobuf: {
    messageEncoding: "protobuf",
    schemaName: "foxglove.CompressedVideo",
    schemaEncoding: "protobuf",
    schema: descriptors.$type.encode(descriptors).finish(),
  },
  // Under a name of its own: channels with schemas of the same name share its first definition.
  json: {
    messageEncoding: "json",
    schemaName: "foxglove_msgs/CompressedVideo",
    schemaEncoding: "jsonschema",
    schema: "{}",
  },
};

interface Stamp {
  sec: number;
  nanosec: number;
}
const toStamp = (time: bigint): Stamp => ({
  sec: Number(time / 1_000_000_000n),
  nanosec: Number(time % 1_000_000_000n),
});
const videoWriter = new MessageWriter(parse(compressedVideo, { ros2: true }));
const packetWriter = new MessageWriter(parse(packet, { ros2: true }));

const writers: Record<VideoTopic["form"], (format: string, data: Uint8Array, stamp: Stamp) => Uint8Array> = {
  ros2: (format, data, stamp) => videoWriter.writeMessage({ timestamp: stamp, frame_id: "cam", format, data }),
  packet: (format, data, stamp) =>
    packetWriter.writeMessage({
      header: { stamp, frame_id: "cam" },
      width: 480,
      height: 272,
      encoding: `${format};yuv420p;bgr8;bgr8`,
      pts: 0n,
      flags: 0,
      is_bigendian: false,
      data,
    }),
  protobuf: (format, data, { sec, nanosec }) => {
    const timestamp = { seconds: sec, nanos: nanosec };
    return ProtoVideo.encode(ProtoVideo.create({ timestamp, frame_id: "cam", format, data })).finish();
  },
  json: (format, data, timestamp) =>
    Buffer.from(JSON.stringify({ timestamp, format, data: Buffer.from(data).toString("base64") })),
};

/** A recording of topics of video, ten pictures a second, in small chunks. */
export function videoRecording(topics: readonly VideoTopic[]): Promise<Buffer> {
  const channels = topics.map(({ topic, form }): TestChannel => ({ topic, ...schemas[form] }));
  const messages = topics.flatMap((made): TestMessage[] => {
    const { topic, clip, form, has = () => true, ahead, change = (data) => data } = made;
    return readClip(clip).flatMap((data, n) => {
      const time = videoTime(n);
      const stamp = toStamp(ahead === undefined ? 0n : time + ahead);
      return has(n) ? [{ topic, time, data: writers[form](clip.replace("-b", ""), change(data, n), stamp) }] : [];
    });
  });
  messages.sort((a, b) => Number(a.time - b.time));
  return writeMcap(channels, messages, { compression: "zstd", chunkBytes: 16_384 });
}
