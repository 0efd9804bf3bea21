import { closeSync, openSync, writeSync } from "node:fs";
import { McapFileWriter, type McapOptions, type TestChannel } from "@/engine/testing/write-mcap";

export const IMU = `std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration
float64[9] linear_acceleration_covariance
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
`;

const MOTOR = `float32 temperature # [°C]
float32 current # [A]
int32 rpm
uint8 STATE_IDLE=0
uint8 STATE_RUN=1
uint8 STATE_FAULT=2
uint8 state
bool brake
`;

const SCAN = `float32 angle_min
float32 angle_max
float32[] ranges
uint8[] blob
`;

const channels: TestChannel[] = [
  { topic: "/imu", messageEncoding: "cdr", schemaName: "sensor_msgs/msg/Imu", schemaEncoding: "ros2msg", schema: IMU },
  ...[0, 1, 2, 3].map((i) => ({
    topic: `/motor_${i}`,
    messageEncoding: "cdr",
    schemaName: "test_msgs/msg/Motor",
    schemaEncoding: "ros2msg",
    schema: MOTOR,
  })),
  { topic: "/scan", messageEncoding: "cdr", schemaName: "test_msgs/msg/Scan", schemaEncoding: "ros2msg", schema: SCAN },
];

export interface GenerateOptions extends McapOptions {
  path: string;
  /** Approximate bytes of messages before compression. */
  bytes: number;
  /** Chunk size before compression. Default 1 MiB. */
  chunkBytes?: number;
}

/**
 * Writes a recording of a made-up robot, streaming to a file: an IMU at 1 kHz, four motors at 100 Hz, a scan of 16 kB
 * that compresses poorly at 10 Hz. The same options always give the same bytes. Returns what was written.
 */
export async function generateRecording(options: GenerateOptions): Promise<{ messages: number; seconds: number }> {
  const { path, bytes, ...rest } = options;
  const file = openSync(path, "w");
  try {
    const sink = (part: Buffer): void => {
      for (let at = 0; at < part.length;) at += writeSync(file, part, at);
    };
    const writer = await McapFileWriter.create(sink, channels, {
      compression: "zstd",
      chunkBytes: 1024 * 1024,
      ...rest,
    });
    const random = noise(42);
    const start = 1_760_000_000_000_000_000n;
    let written = 0;
    let messages = 0;
    let tick = 0;
    const add = (topic: string, time: bigint, data: Buffer): void => {
      writer.add({ topic, time, data, sequence: tick });
      written += data.length + 31;
      messages += 1;
    };
    for (; written < bytes; tick++) {
      const time = start + BigInt(tick) * 1_000_000n;
      add("/imu", time, imuAt(tick, time, random));
      if (tick % 10 === 0)
        for (let i = 0; i < 4; i++) add(`/motor_${i}`, time + BigInt(i * 1000), motorAt(tick, i, random));
      if (tick % 100 === 0) add("/scan", time + 9000n, scanAt(random));
    }
    writer.close();
    return { messages, seconds: tick / 1000 };
  } finally {
    closeSync(file);
  }
}

export function imuAt(tick: number, time: bigint, random: () => number): Buffer {
  const frame = "imu_link";
  const payload = Buffer.alloc(4 + 8 + 4 + frame.length + 1 + 7 + 8 * (4 + 9 + 3 + 9 + 3 + 9));
  payload[1] = 1;
  payload.writeInt32LE(Number(time / 1_000_000_000n), 4);
  payload.writeUInt32LE(Number(time % 1_000_000_000n), 8);
  payload.writeUInt32LE(frame.length + 1, 12);
  payload.write(frame, 16);
  let at = 4 + Math.ceil((12 + frame.length + 1) / 8) * 8;
  const values = [0, 0, Math.sin(tick / 5000), Math.cos(tick / 5000)];
  values.push(0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01, 0.1 * random(), 0.1 * random(), Math.sin(tick / 300));
  values.push(0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02, 0.2 * random(), 0.2 * random(), 9.81 + 0.1 * random());
  values.push(0.03, 0, 0, 0, 0.03, 0, 0, 0, 0.03);
  for (const value of values) at = payload.writeDoubleLE(value, at);
  return payload.subarray(0, at);
}

function motorAt(tick: number, motor: number, random: () => number): Buffer {
  const payload = Buffer.alloc(4 + 14);
  payload[1] = 1;
  payload.writeFloatLE(55 + 20 * Math.sin(tick / 40_000 + motor) + random(), 4);
  payload.writeFloatLE(2 + random(), 8);
  payload.writeInt32LE(Math.round(1500 + 500 * Math.sin(tick / 8000)), 12);
  payload[16] = Math.floor(tick / 20_000) % 3;
  payload[17] = Math.floor(tick / 7000) % 2;
  return payload;
}

function scanAt(random: () => number): Buffer {
  const ranges = 2000;
  const blob = 8000;
  const payload = Buffer.alloc(4 + 8 + 4 + ranges * 4 + 4 + blob);
  payload[1] = 1;
  payload.writeFloatLE(-1.57, 4);
  payload.writeFloatLE(1.57, 8);
  payload.writeUInt32LE(ranges, 12);
  for (let i = 0; i < ranges; i++) payload.writeFloatLE(1 + 9 * random(), 16 + i * 4);
  payload.writeUInt32LE(blob, 16 + ranges * 4);
  for (let i = 0; i < blob; i++) payload[20 + ranges * 4 + i] = random() * 256;
  return payload;
}

/** Numbers in [0, 1) that are the same in every run. */
export function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
