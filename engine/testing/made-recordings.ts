import { closeSync, openSync, writeSync } from "node:fs";
import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { IMU, imuAt, noise } from "@/engine/testing/generate-recording";
import { listTopics, type MadeTopic, type Noise } from "@/engine/testing/list-topics";
import { McapFileWriter } from "@/engine/testing/write-mcap";

interface MadeKind {
  topics: () => MadeTopic[];
  /** How far times deviate from the period, milliseconds; never beyond the message before. */
  jitter?: number;
  /** Topics and fields with a value that is exceeded now and then. */
  fields: [topic: string, field: string, value: number][];
}

const JOINT_STATE = `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;

const IMAGE = `float64 exposure
string format
uint8[] data
`;

const PROTO = `syntax = "proto3";
package robot;
message Vector { double x = 1; double y = 2; double z = 3; }
message Pose { Vector position = 1; Vector heading = 2; Vector velocity = 3; string frame = 4; uint64 stamp = 5; }
enum State { IDLE = 0; RUN = 1; FAULT = 2; }
message Wheel { double speed = 1; float current = 2; sint32 rpm = 3; State state = 4; bool brake = 5; }
message Battery { float charge = 1; repeated float cells = 2; string label = 3; }`;

const imuTopics = (topics: readonly string[], period: number): MadeTopic[] =>
  topics.map((topic) => ({
    topic,
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/Imu",
    schemaEncoding: "ros2msg",
    schema: IMU,
    period,
    payload: imuAt,
  }));

function protobufTopics(): MadeTopic[] {
  const { root } = protobuf.parse(PROTO, { keepCase: true });
  root.resolveAll();
  const descriptors = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
  const schema = descriptors.$type.encode(descriptors).finish();
  const make = (topic: string, name: string, period: number, message: (i: number, random: Noise) => object) => {
    const type = root.lookupType(`robot.${name}`);
    const shared = { messageEncoding: "protobuf", schemaEncoding: "protobuf", schemaName: `robot.${name}`, schema };
    const payload = (i: number, _time: bigint, random: Noise): Uint8Array =>
      type.encode(type.create(message(i, random))).finish();
    return { topic, ...shared, period, payload };
  };
  const vector = (i: number, random: Noise): object => ({ x: Math.sin(i / 900), y: random(), z: Math.cos(i / 700) });
  return [
    make("/pose", "Pose", 1, (i, random) => ({
      position: vector(i, random),
      heading: vector(i + 100, random),
      velocity: vector(i + 200, random),
      frame: "odom",
      stamp: i,
    })),
    ...[0, 1, 2, 3].map((wheel) =>
      make(`/wheel_${wheel}`, "Wheel", 5, (i, random) => ({
        speed: Math.sin(i / 400 + wheel) + random() / 10,
        current: 2 + random(),
        rpm: Math.round(1500 * Math.sin(i / 800)),
        state: Math.floor(i / 2000) % 3,
        brake: Math.floor(i / 700) % 2 === 1,
      })),
    ),
    make("/battery", "Battery", 20, (i, random) => ({
      charge: 100 - (i % 5000) / 50,
      cells: Array.from({ length: 8 }, () => 3.6 + random() / 10),
      label: "main",
    })),
  ];
}

function jointTopics(): MadeTopic[] {
  const writer = new MessageWriter(parse(JOINT_STATE, { ros2: true }));
  const names = Array.from({ length: 12 }, (_, n) => `joint_${n}`);
  return ["/left/joint_states", "/right/joint_states"].map((topic, arm) => ({
    topic,
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/JointState",
    schemaEncoding: "ros2msg",
    schema: JOINT_STATE,
    period: 2,
    payload: (i, time, random) =>
      writer.writeMessage({
        header: { stamp: { sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) }, frame_id: "" },
        name: names,
        position: names.map((_, n) => Math.sin(i / 500 + n + arm)),
        velocity: names.map((_, n) => Math.cos(i / 500 + n + arm)),
        effort: names.map(() => 5 * random()),
      }),
  }));
}

function jsonTopics(): MadeTopic[] {
  const make = (topic: string, period: number, message: (i: number, random: Noise) => object): MadeTopic => ({
    topic,
    messageEncoding: "json",
    schemaName: topic.slice(1),
    schemaEncoding: "jsonschema",
    schema: "{}",
    period,
    payload: (i, _time, random) => Buffer.from(JSON.stringify(message(i, random))),
  });
  return [
    make("/telemetry", 5, (i, random) => ({
      id: `robot-${i % 3}`,
      mode: Math.floor(i / 900) % 2 === 0 ? "DRIVE" : "IDLE",
      battery: { voltage: 24 + random(), current: 3 * random(), cells: [3.6, 3.61, 3.6 + random() / 10] },
      pose: { x: Math.sin(i / 400), y: Math.cos(i / 300), heading: (i % 628) / 100 },
      speed: Math.sin(i / 250) + random() / 10,
      docked: i % 4000 < 100,
      uptime: i * 5,
    })),
    ...[0, 1].map((arm) =>
      make(`/arm_${arm}`, 10, (i, random) => ({
        temperature: 40 + 10 * Math.sin(i / 3000) + random(),
        load: random(),
        steps: i * 7,
        fault: null,
      })),
    ),
  ];
}

function cameraTopics(): MadeTopic[] {
  const writer = new MessageWriter(parse(IMAGE, { ros2: true }));
  const words = new Uint32Array(24_000);
  const data = new Uint8Array(words.buffer);
  const cameras = ["/front/image", "/rear/image"].map((topic): MadeTopic => {
    const shared = { messageEncoding: "cdr", schemaName: "test_msgs/msg/Image", schemaEncoding: "ros2msg" };
    const image = (i: number, random: Noise): Uint8Array => {
      for (let word = 0; word < words.length; word++) words[word] = random() * 0x1_0000_0000;
      return writer.writeMessage({ exposure: 8 + (i % 90) / 10, format: "jpeg", data });
    };
    return { topic, ...shared, schema: IMAGE, period: 33, payload: (i, _time, random) => image(i, random) };
  });
  return [...cameras, ...imuTopics(["/imu"], 5)];
}

const imuFields = (topics: readonly string[]): MadeKind["fields"] =>
  topics.flatMap((topic): MadeKind["fields"] => [
    [topic, "linear_acceleration.z", 9.85],
    [topic, "angular_velocity.z", 0.9],
    [topic, "orientation.w", 0.5],
  ]);

/** Recordings of one character each, beside the robot of `generateRecording`. */
export const madeKinds = {
  protobuf: {
    topics: protobufTopics,
    fields: [
      ["/pose", "position.x", 0.9],
      ["/pose", "velocity.z", 0.9],
      ["/wheel_0", "speed", 0.95],
      ["/wheel_1", "current", 2.9],
      ["/wheel_*", "rpm", 1400],
      ["/battery", "charge", 90],
      ["/battery", "cells[0]", 3.69],
    ],
  },
  "joint states": {
    topics: jointTopics,
    fields: [
      ["/left/joint_states", "position[0]", 0.9],
      ["/left/joint_states", "velocity[5]", 0.9],
      ["/left/joint_states", "effort[11]", 4.9],
      ["/right/joint_states", "position[3]", 0.9],
      ["/right/joint_states", "effort[2]", 4.9],
    ],
  },
  lists: {
    topics: listTopics,
    fields: [
      ["/front/scan", "range_max", 33],
      ["/odometry", "pose[0]", 0.9],
      ["/odometry", "covariance[35]", 0.009],
      ["/tf", "transforms[0].translation.x", 0.9],
      ["/low_state", "motor_state[12].q", 0.95],
      ["/low_state", "motor_state[28].tau", 4.9],
    ],
  },
  JSON: {
    topics: jsonTopics,
    fields: [
      ["/telemetry", "battery.voltage", 24.9],
      ["/telemetry", "pose.x", 0.9],
      ["/telemetry", "speed", 0.95],
      ["/telemetry", "battery.cells[2]", 3.69],
      ["/arm_0", "temperature", 49],
      ["/arm_1", "load", 0.95],
    ],
  },
  "IMU with jitter": {
    topics: () => imuTopics(["/imu", "/imu_rear"], 1),
    jitter: 0.9,
    fields: imuFields(["/imu", "/imu_rear"]),
  },
  "camera-heavy": {
    topics: cameraTopics,
    fields: [["/front/image", "exposure", 16], ["/rear/image", "exposure", 16], ...imuFields(["/imu"])],
  },
  "an IMU and rules on other types": {
    topics: () => imuTopics(["/imu"], 1),
    jitter: 0.1,
    fields: [
      ["/imu", "position.x", 0.9],
      ["/imu", "temperature", 74],
      ["/*", "battery.voltage", 24],
    ],
  },
} satisfies Record<string, MadeKind>;

export type KindOfRecording = keyof typeof madeKinds;

/** Writes such a recording as zstd MCAP, about `bytes` of messages. The same arguments always give the same bytes. */
export async function writeMadeRecording(kind: KindOfRecording, path: string, bytes: number): Promise<void> {
  const { topics: makeTopics, jitter = 0 }: MadeKind = madeKinds[kind];
  const topics = makeTopics();
  const file = openSync(path, "w");
  try {
    const sink = (part: Buffer): void => {
      for (let at = 0; at < part.length;) at += writeSync(file, part, at);
    };
    const writer = await McapFileWriter.create(sink, topics, { compression: "zstd", chunkBytes: 1024 * 1024 });
    const random = noise(42);
    const start = 1_760_000_000_000_000_000n;
    let written = 0;
    for (let tick = 0; written < bytes; tick++) {
      for (const { topic, period, payload } of topics) {
        if (tick % period !== 0) continue;
        const time = start + BigInt(Math.floor((tick + jitter * random()) * 1e6));
        const data = payload(tick / period, time, random);
        writer.add({ topic, time, data, sequence: tick });
        written += data.length + 31;
      }
    }
    writer.close();
  } finally {
    closeSync(file);
  }
}
