import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import zstd from "@foxglove/wasm-zstd";
import { McapWriter } from "@mcap/core";
import { nsPerSecond } from "@/domain/time/nanoseconds";
import { messageTypes, type MessageKind } from "@/server/features/demo/messages";

export type RobotKind = "arm" | "amr" | "drone";

/** What goes wrong in a recording, from a share of its duration on. */
export type Incident =
  /** The motor climbs over 80 °C for a minute. */
  | "overheating"
  /** The joints strain while the motor is warm. */
  | "overload"
  /** The emergency stop is pressed. */
  | "emergency_stop"
  /** The camera delivers one frame per second instead of five. */
  | "slow_camera"
  /** The battery sends no messages for a while. */
  | "silent_battery"
  /** The recorder writes nothing for half a minute. */
  | "gap"
  /** The recorder was switched off before it closed the file. */
  | "truncated";

export interface RecordingStory {
  robot: RobotKind;
  seed: number;
  /** Nanoseconds since 1970. */
  start: bigint;
  seconds: number;
  /** Whether the motor is always rather warm. */
  warm?: boolean;
  incidents?: readonly Incident[];
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The period of each kind of message in ticks of 0.1 s. */
const everyTicks: Record<MessageKind, number> = {
  joints: 1,
  pose: 1,
  camera: 2,
  motor: 5,
  battery: 10,
  diagnostics: 10,
};
const kindsByRobot: Record<RobotKind, readonly MessageKind[]> = {
  arm: ["joints", "pose", "motor", "battery", "diagnostics"],
  amr: ["joints", "pose", "camera", "motor", "battery", "diagnostics"],
  drone: ["pose", "camera", "motor", "battery", "diagnostics"],
};
const jointsByRobot: Record<RobotKind, string[]> = {
  arm: ["base", "shoulder", "elbow", "wrist_1", "wrist_2", "wrist_3"],
  amr: ["wheel_left", "wheel_right"],
  drone: [],
};

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
    compressChunk: (data) => ({ compression: "zstd", compressedData: zstd.compress(data, 6) }),
  });
  await writer.start({ profile: "ros2", library: "muster demo" });
  const channels = new Map<MessageKind, { id: number; write: (message: unknown) => Uint8Array }>();
  for (const kind of kindsByRobot[story.robot]) {
    const { topic, schemaName, schema } = messageTypes[kind];
    const schemaId = await writer.registerSchema({ name: schemaName, encoding: "ros2msg", data: Buffer.from(schema) });
    const id = await writer.registerChannel({ schemaId, topic, messageEncoding: "cdr", metadata: new Map() });
    const serializer = new MessageWriter(parse(schema, { ros2: true }));
    channels.set(kind, { id, write: (message) => serializer.writeMessage(message) });
  }
  for (const { kind, time, sequence, message } of generateMessages(story)) {
    const channel = channels.get(kind);
    if (!channel) continue;
    await writer.addMessage({
      channelId: channel.id,
      sequence,
      logTime: time,
      publishTime: time,
      data: channel.write(message),
    });
  }
  await writer.end();
  const bytes = Buffer.concat(parts);
  return story.incidents?.includes("truncated") ? bytes.subarray(0, Math.floor(bytes.length * 0.72)) : bytes;
}

interface StoryMessage {
  kind: MessageKind;
  time: bigint;
  sequence: number;
  message: unknown;
}

/**
 * Whether `seconds` is within an incident that begins at `share` of the recording and lasts at most `length` seconds.
 */
const within = (story: RecordingStory, incident: Incident, seconds: number, share: number, length: number): boolean => {
  if (!story.incidents?.includes(incident)) return false;
  const begin = story.seconds * share;
  return seconds >= begin && seconds < begin + Math.min(length, story.seconds * 0.35);
};

function* generateMessages(story: RecordingStory): Generator<StoryMessage> {
  const random = randomNumbers(story.seed);
  const robot = new Robot(story, random);
  for (let tick = 0; tick < story.seconds * 10; tick++) {
    const seconds = tick / 10;
    robot.step(seconds);
    if (within(story, "gap", seconds, 0.4, 30)) continue;
    for (const kind of kindsByRobot[story.robot]) {
      const slow = kind === "camera" && within(story, "slow_camera", seconds, 0.5, 40) ? 5 : 1;
      if (tick % (everyTicks[kind] * slow) !== 0) continue;
      if (kind === "battery" && within(story, "silent_battery", seconds, 0.55, 25)) continue;
      const time = story.start + BigInt(tick) * 100_000_000n + BigInt(Math.floor(random() * 2_000_000));
      const stamp = { sec: Number(time / nsPerSecond), nanosec: Number(time % nsPerSecond) };
      yield { kind, time, sequence: tick, message: robot.createMessage(kind, seconds, stamp) };
    }
  }
}

/** Simulates a robot in steps of a tenth of a second. */
class Robot {
  private heat = 0;
  private strain = 0;
  private charge: number;
  private readonly phase: number;

  constructor(
    private readonly story: RecordingStory,
    private readonly random: () => number,
  ) {
    this.charge = 0.45 + 0.5 * random();
    this.phase = random() * Math.PI * 2;
  }

  step(seconds: number): void {
    const { story } = this;
    const hot = within(story, "overheating", seconds, 0.45, 75) ? 34 : 0;
    const strained = within(story, "overload", seconds, 0.6, 50);
    const pace = Math.min(0.04, Math.max(0.008, 3 / story.seconds));
    this.heat += ((strained ? Math.max(hot, 20) : hot) - this.heat) * pace;
    this.strain += ((strained ? 48 : 0) - this.strain) * 0.1;
    this.charge = Math.max(0.05, this.charge - 0.000_008);
  }

  createMessage(kind: MessageKind, seconds: number, stamp: { sec: number; nanosec: number }): unknown {
    const { story, random } = this;
    const header = { stamp, frame_id: kind === "camera" ? "camera_front" : "base_link" };
    const swing = (period: number, shift = 0) => Math.sin((2 * Math.PI * seconds) / period + this.phase + shift);
    const stopped = within(story, "emergency_stop", seconds, 0.5, 20);
    const temperature = (story.warm ? 62 : 53) + 4 * swing(210) + this.heat + 1.6 * (random() - 0.5);
    switch (kind) {
      case "battery": {
        const percentage = this.charge + 0.002 * (random() - 0.5);
        const voltage = 21 + 8.4 * percentage + 0.05 * random();
        const body = {
          voltage,
          temperature: 29 + 3 * swing(600),
          current: -(4 + random()),
          charge: percentage * 20,
          capacity: 20,
        };
        return { header, ...body, percentage, power_supply_status: 2, present: true, location: "bay 1" };
      }
      case "motor": {
        const rpm = stopped ? 0 : Math.round(1_450 + 300 * swing(40) + 20 * random());
        return {
          header,
          temperature,
          current: stopped ? 0.2 : 3 + 1.5 * random() + this.strain / 20,
          rpm,
          mode: stopped ? 2 : 1,
        };
      }
      case "joints": {
        const name = jointsByRobot[story.robot];
        const each = (of: (shift: number) => number) => name.map((_, i) => of(i * 1.1));
        const moving = stopped ? 0 : 1;
        return {
          header,
          name,
          position: each((shift) => 1.2 * swing(12, shift)),
          velocity: each((shift) => moving * 0.63 * swing(12, shift + Math.PI / 2)),
          effort: each((shift) => moving * (18 + 9 * swing(12, shift) + 2 * random()) + this.strain),
        };
      }
      case "pose": {
        const [x, y] =
          story.robot === "arm" ? [0.4 * swing(12), 0.4 * swing(12, 1.6)] : [14 * swing(180), 9 * swing(120, 0.7)];
        const z = story.robot === "drone" ? 22 + 6 * swing(90) : story.robot === "arm" ? 0.8 + 0.2 * swing(8) : 0;
        const yaw = swing(60) * Math.PI;
        const orientation = { x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) };
        return { header, pose: { position: { x, y, z }, orientation } };
      }
      case "camera":
        return {
          header,
          sequence: Math.round(seconds * 10),
          exposure_ms: 8 + 2 * random(),
          brightness: 0.5 + 0.1 * swing(300),
        };
      case "diagnostics":
        return { header, status: this.status(stopped, temperature) };
    }
  }

  private status(stopped: boolean, temperature: number): unknown[] {
    const hardware_id = `${this.story.robot}-${this.story.seed}`;
    const values = [{ key: "temperature", value: temperature.toFixed(1) }];
    const level = stopped || temperature > 80 ? 2 : temperature > 70 ? 1 : 0;
    const motor = temperature > 80 ? "Motor over temperature limit" : temperature > 70 ? "Motor warm" : "OK";
    const safety = stopped ? "E-stop pressed at cell door" : "OK";
    return [
      { level, name: "motor_driver", message: motor, hardware_id, values },
      { level: stopped ? 2 : 0, name: "safety", message: safety, hardware_id, values: [] },
    ];
  }
}
