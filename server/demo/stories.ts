import zstd from "@foxglove/wasm-zstd";
import { McapWriter } from "@mcap/core";
import sharp from "sharp";
import { nsPerSecond } from "@/domain/time/nanoseconds";
import type { Stamp } from "@/server/demo/frames";
import { messageWriter } from "@/server/demo/message-writer";
import { messageTypes, type MessageKind, type MessageType } from "@/server/demo/messages";
import { Robot, type SpatialKind } from "@/server/demo/robot";
import { drawScene, pictureSize, type View } from "@/server/demo/scene";
import { isWithin, randomNumbers, type RecordingStory, type RobotKind } from "@/server/demo/story";

/** The period of each kind of message in ticks of 0.1 s. Log lines come when something happens. */
const everyTicks: Record<Exclude<MessageKind, "log" | SpatialKind>, number> = {
  joints: 1,
  pose: 1,
  camera: 2,
  motor: 5,
  battery: 10,
  diagnostics: 10,
  gps: 10,
  picture: 20,
};
const kindsByRobot: Record<RobotKind, readonly (keyof typeof everyTicks)[]> = {
  arm: ["joints", "pose", "motor", "battery", "diagnostics"],
  amr: ["joints", "pose", "camera", "motor", "battery", "diagnostics"],
  drone: ["pose", "camera", "motor", "battery", "diagnostics", "gps"],
};
const listKinds = ({ robot, pictures }: RecordingStory): (keyof typeof everyTicks)[] => [
  ...kindsByRobot[robot],
  ...(pictures ? (["picture"] as const) : []),
];
/** What is measured ten times a second of the space around the robot. */
const listMoving = ({ lidar }: RecordingStory): SpatialKind[] =>
  lidar ? ["tf", "odometry", "scan", ...(lidar === "cloud" ? (["cloud"] as const) : [])] : [];
const latched = ["tfStatic", "robotDescription"] as const;
const listTopics = (story: RecordingStory): MessageKind[] => [
  ...listKinds(story),
  ...(story.log ? (["log"] as const) : []),
  ...(story.lidar ? latched : []),
  ...listMoving(story),
  ...(story.pictures ? (["calibration"] as const) : []),
];

/** As a ROS 2 recorder writes the quality of service of a topic whose last message waits for those who come later. */
const latchedMetadata = [
  ["offered_qos_profiles", "- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n"],
] as const;

/** The bytes of an MCAP file as a robot of that kind would record it, the same for the same story. */
export async function recordStory(story: RecordingStory): Promise<Buffer> {
  await zstd.isLoaded;
  const parts: Uint8Array[] = [];
  let position = 0n;
  const writer = new McapWriter({
    writable: {
      position: () => position,
      write: (bytes: Uint8Array) => {
        parts.push(Uint8Array.from(bytes));
        position += BigInt(bytes.length);
        return Promise.resolve();
      },
    },
    chunkSize: 256 * 1024,
    compressChunk: (data) => ({ compression: "zstd", compressedData: zstd.compress(data, 3) }),
  });
  await writer.start({ profile: "ros2", library: "muster demo" });
  const channels = new Map<MessageKind, { id: number; write: (message: unknown) => Uint8Array }>();
  for (const kind of listTopics(story)) {
    const { topic, schemaName, schema, latched = false }: MessageType = messageTypes[kind];
    const schemaId = await writer.registerSchema({ name: schemaName, encoding: "ros2msg", data: Buffer.from(schema) });
    const metadata = new Map(latched ? latchedMetadata : []);
    const id = await writer.registerChannel({ schemaId, topic, messageEncoding: "cdr", metadata });
    channels.set(kind, { id, write: messageWriter(schema) });
  }
  for (const { kind, time, sequence, message, view } of generateMessages(story)) {
    const channel = channels.get(kind);
    if (!channel) continue;
    await writer.addMessage({
      channelId: channel.id,
      sequence,
      logTime: time,
      publishTime: time,
      data: channel.write(view ? { ...message, data: await encode(drawScene(story.robot, view)) } : message),
    });
  }
  await writer.end();
  const bytes = Buffer.concat(parts);
  return story.incidents?.includes("truncated") ? bytes.subarray(0, Math.floor(bytes.length * 0.72)) : bytes;
}

function toStamp({ start }: RecordingStory, tick: number): Stamp {
  const time = start + BigInt(tick) * 100_000_000n;
  return { sec: Number(time / nsPerSecond), nanosec: Number(time % nsPerSecond) };
}

interface StoryMessage {
  kind: MessageKind;
  time: bigint;
  sequence: number;
  message: object;
  /** What a picture shows; its data is drawn and encoded when it is written. */
  view?: View;
}

/** What a recording of that story says, in the order in which it was recorded. */
export function* generateMessages(story: RecordingStory): Generator<StoryMessage> {
  const robot = new Robot(story);
  const kinds = listKinds(story);
  // A separate source for what came later: the older topics stay as they were.
  const [jitter, laterJitter, spatialJitter] = [
    robot.random,
    randomNumbers(story.seed + 500_000),
    randomNumbers(story.seed + 900_000),
  ];
  const moving = listMoving(story);
  for (let tick = 0; tick < story.seconds * 10; tick++) {
    const seconds = tick / 10;
    robot.step(seconds);
    const lines = robot.takeLogLines(seconds);
    if (isWithin(story, "gap", seconds)) continue;
    const at = (random: () => number) => {
      const time = story.start + BigInt(tick) * 100_000_000n + BigInt(Math.floor(random() * 2_000_000));
      return { time, sequence: tick, stamp: { sec: Number(time / nsPerSecond), nanosec: Number(time % nsPerSecond) } };
    };
    for (const kind of kinds) {
      const slow = (kind === "camera" || kind === "picture") && isWithin(story, "slow_camera", seconds) ? 5 : 1;
      if (tick % (everyTicks[kind] * slow) !== 0) continue;
      if (kind === "battery" && isWithin(story, "silent_battery", seconds)) continue;
      const { stamp, ...place } = at(kind === "picture" || kind === "gps" ? laterJitter : jitter);
      if (kind === "picture") {
        const header = { stamp, frame_id: "camera_front" };
        yield { ...place, kind, message: { header, format: "jpeg" }, view: robot.view(seconds) };
        yield {
          ...place,
          kind: "calibration",
          message: robot.createSpatialMessage("calibration", seconds, stamp),
        };
      } else yield { ...place, kind, message: robot.createMessage(kind, seconds, stamp) };
    }
    // Stamped with the moment of the robot's step, so that what was measured then agrees.
    for (const kind of tick === 0 && story.lidar ? [...latched, ...moving] : moving) {
      const { stamp: _logged, ...place } = at(spatialJitter);
      yield { ...place, kind, message: robot.createSpatialMessage(kind, seconds, toStamp(story, tick)) };
    }
    for (const line of story.log ? lines : []) {
      const { stamp, ...place } = at(laterJitter);
      yield { ...place, kind: "log", message: { stamp, ...line } };
    }
  }
}

/** The pixels of a picture as a JPEG file. */
export const encode = (pixels: Uint8Array): Promise<Buffer> =>
  sharp(pixels, { raw: { ...pictureSize, channels: 3 } })
    .jpeg({ quality: 70 })
    .toBuffer();
