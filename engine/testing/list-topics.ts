import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import type { TestChannel } from "@/engine/testing/write-mcap";

export type Noise = () => number;

/** A topic of a made-up robot. */
export interface MadeTopic extends TestChannel {
  /** Milliseconds between two messages. */
  period: number;
  payload(i: number, time: bigint, random: Noise): Uint8Array;
}

const HEADER = `================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;

const SCAN = `std_msgs/Header header
float32 angle_min
float32 angle_max
float32 range_max
float32[] ranges
float32[] intensities
${HEADER}`;

const ODOMETRY = `std_msgs/Header header
string child_frame_id
float64[7] pose
float64[36] covariance
float64[6] twist
${HEADER}`;

const TRANSFORMS = `pkg/Transform[] transforms
================================================================================
MSG: pkg/Transform
std_msgs/Header header
string child_frame_id
pkg/Vector translation
pkg/Quaternion rotation
================================================================================
MSG: pkg/Vector
float64 x
float64 y
float64 z
================================================================================
MSG: pkg/Quaternion
float64 x
float64 y
float64 z
float64 w
${HEADER}`;

const MOTORS = `pkg/Motor[] motor_state
================================================================================
MSG: pkg/Motor
uint8 mode
float32 q
float32 dq
float32 tau
int16[2] temperature
`;

/** Two scans of 720 points, a covariance, transforms of one to three frames, and the motors of a humanoid. */
export function listTopics(): MadeTopic[] {
  const make = (
    topic: string,
    schema: string,
    period: number,
    message: (i: number, random: Noise) => object,
  ): MadeTopic => {
    const writer = new MessageWriter(parse(schema, { ros2: true }));
    const header = (time: bigint) => ({
      stamp: { sec: Number(time / 1_000_000_000n), nanosec: Number(time % 1_000_000_000n) },
      frame_id: "base",
    });
    return {
      topic,
      messageEncoding: "cdr",
      schemaName: `pkg/msg/${topic.slice(topic.lastIndexOf("/") + 1)}`,
      schemaEncoding: "ros2msg",
      schema,
      period,
      payload: (i, time, random) => writer.writeMessage({ header: header(time), ...message(i, random) }),
    };
  };
  const many = (length: number, value: (n: number) => number) => Float64Array.from({ length }, (_, n) => value(n));
  const scan = (i: number, random: Noise) => ({
    angle_min: -Math.PI,
    angle_max: Math.PI,
    range_max: 30 + (i % 5),
    ranges: many(720, (n) => 4 + Math.sin(n / 90) + random() / 50),
    intensities: many(720, (n) => (n * 7) % 255),
  });
  const transform = (n: number, i: number, random: Noise) => ({
    header: { stamp: { sec: i, nanosec: n }, frame_id: "base" },
    child_frame_id: `link_${n}`,
    translation: { x: Math.sin(i / 300 + n), y: n, z: random() },
    rotation: { x: 0, y: 0, z: Math.sin(i / 600), w: Math.cos(i / 600) },
  });
  return [
    make("/front/scan", SCAN, 25, scan),
    make("/rear/scan", SCAN, 25, scan),
    make("/odometry", ODOMETRY, 5, (i, random) => ({
      child_frame_id: "odom",
      pose: many(7, (n) => Math.sin(i / 400 + n)),
      covariance: many(36, (n) => (n % 7 === 0 ? random() / 100 : 0)),
      twist: many(6, () => random()),
    })),
    make("/tf", TRANSFORMS, 5, (i, random) => ({
      transforms: Array.from({ length: 1 + (i % 3) }, (_, n) => transform(n, i, random)),
    })),
    make("/low_state", MOTORS, 5, (i, random) => ({
      motor_state: Array.from({ length: 29 }, (_, n) => ({
        mode: 1,
        q: Math.sin(i / 200 + n),
        dq: Math.cos(i / 200 + n),
        tau: 5 * random(),
        temperature: [40 + (n % 9), 35],
      })),
    })),
  ];
}
