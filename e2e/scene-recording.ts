import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, unique, type Api } from "./fixtures";
import { once } from "./onlookers";
import { uploadRecording } from "./recording-files";

const pointCloud = `std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: sensor_msgs/PointField
string name
uint32 offset
uint8 datatype
uint32 count
`;
const jsonChannel = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});
const channels: TestChannel[] = [
  {
    topic: "/points",
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/PointCloud2",
    schemaEncoding: "ros2msg",
    schema: pointCloud,
  },
  jsonChannel("/tf", "foxglove.FrameTransform"),
  jsonChannel("/tf_static", "foxglove.FrameTransforms"),
  jsonChannel("/boxes", "foxglove.SceneUpdate"),
  jsonChannel("/radar", "foxglove.PointCloud"),
  jsonChannel("/broken", "foxglove.PointCloud"),
];

/** Nanoseconds since 1970. */
export const start = 1_770_000_000_000_000_000n;
const seconds = 6;
/** Points on a side of the red square. */
const side = 100;

/** A red square of two metres around the lidar, with a corner that has no place. */
function redSquare(): Uint8Array {
  const data = new Uint8Array(side * side * 16);
  const view = new DataView(data.buffer);
  for (let n = 0; n < side * side; n++) {
    view.setFloat32(n * 16, ((n % side) / (side - 1)) * 2 - 1, true);
    view.setFloat32(n * 16 + 4, (Math.floor(n / side) / (side - 1)) * 2 - 1, true);
    view.setUint32(n * 16 + 12, 0xff_00_00, true);
  }
  view.setFloat32(0, Number.NaN, true);
  return data;
}

const fields = ["x", "y", "z", "rgb"].map((name, at) => ({ name, offset: at * 4, datatype: 7, type: 7, count: 1 }));
const vector = (x = 0, y = 0, z = 0) => ({ x, y, z });
const unturned = { x: 0, y: 0, z: 0, w: 1 };

/**
 * A robot that drives along x, a metre each second. A red square moves with its lidar, a blue box stands at 4, 0. One cloud
 * is of a frame that nobody connects, one says more than it carries.
 */
function sceneRecording(): Promise<Buffer> {
  const writer = new MessageWriter(parse(pointCloud, { ros2: true }));
  const square = redSquare();
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const stampAt = (time: bigint) => ({ sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) });
  const transform = (parent: string, child: string, x: number, z = 0) => ({
    parent_frame_id: parent,
    child_frame_id: child,
    translation: vector(x, 0, z),
    rotation: unturned,
  });
  const messages: TestMessage[] = [];
  messages.push({ topic: "/tf_static", time: start, data: json({ transforms: [transform("base_link", "lidar", 0)] }) });
  for (let n = 0; n <= seconds * 10; n++) {
    const time = start + BigInt(n) * 100_000_000n;
    const stamp = stampAt(time);
    messages.push({ topic: "/tf", time, data: json({ timestamp: stamp, ...transform("odom", "base_link", n / 10) }) });
    const header = { stamp: { sec: stamp.sec, nanosec: stamp.nsec }, frame_id: "lidar" };
    const size = { height: 1, width: side * side, point_step: 16, row_step: side * side * 16 };
    const cloud = { header, ...size, fields, is_bigendian: false, data: square, is_dense: false };
    messages.push({ topic: "/points", time, data: writer.writeMessage(cloud) });
    const lost = {
      timestamp: stamp,
      frame_id: "radar",
      point_stride: 16,
      fields,
      data: Buffer.alloc(160).toString("base64"),
    };
    messages.push({ topic: "/radar", time, data: json(lost) });
    messages.push({ topic: "/broken", time, data: json({ ...lost, frame_id: "lidar", point_stride: 12 }) });
  }
  const box = {
    pose: { position: vector(4, 0, 0.25), orientation: unturned },
    size: vector(0.5, 0.5, 0.5),
    color: { r: 0, g: 0, b: 1, a: 1 },
  };
  const entity = {
    timestamp: stampAt(start),
    frame_id: "odom",
    id: "crate",
    lifetime: {},
    frame_locked: true,
    cubes: [box],
  };
  messages.push({ topic: "/boxes", time: start + 500_000_000n, data: json({ deletions: [], entities: [entity] }) });
  messages.sort((a, b) => Number(a.time - b.time));
  return writeMcap(channels, messages, { compression: "zstd" });
}

/** Uploads the recording and waits until it is processed; resolves to its uid. */
async function openScene(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: await sceneRecording(),
    device: unique("robot"),
    name: "Scene",
  });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

/** The same, uploaded once for all that only look at it. */
export const scene = once(openScene);
