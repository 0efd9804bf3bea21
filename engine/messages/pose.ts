import type { Notes } from "@/engine/messages/notes";
import { readFields, readNumber, readPart, UnreadableMessage, type Fields } from "@/engine/messages/reading";

/** Metres. */
export type Vector = readonly [x: number, y: number, z: number];
/** Of length 1. */
export type Quaternion = readonly [x: number, y: number, z: number, w: number];

/** Where something is and how it is turned, seen from its frame. */
export interface Pose {
  position: Vector;
  orientation: Quaternion;
}

export const identity: Pose = { position: [0, 0, 0], orientation: [0, 0, 0, 1] };

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

export function rotate([x, y, z, w]: Quaternion, [a, b, c]: Vector): Vector {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + (y * tz - z * ty), b + w * ty + (z * tx - x * tz), c + w * tz + (x * ty - y * tx)];
}

export const multiply = (a: Quaternion, b: Quaternion): Quaternion => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];

/** The pose of b's content seen from a's frame, where b is seen from a. */
export const compose = (a: Pose, b: Pose): Pose => ({
  position: add(a.position, rotate(a.orientation, b.position)),
  orientation: multiply(a.orientation, b.orientation),
});

export function invert({ position: [x, y, z], orientation }: Pose): Pose {
  const back: Quaternion = [-orientation[0], -orientation[1], -orientation[2], orientation[3]];
  return { position: rotate(back, [-x, -y, -z]), orientation: back };
}

/** Between two poses: places on a line, turns by the shorter way. `share` is 0 at `a` and 1 at `b`. */
export function interpolate(a: Pose, b: Pose, share: number): Pose {
  const mix = (from: number, to: number) => from + (to - from) * share;
  const position: Vector = [
    mix(a.position[0], b.position[0]),
    mix(a.position[1], b.position[1]),
    mix(a.position[2], b.position[2]),
  ];
  return { position, orientation: slerp(a.orientation, b.orientation, share) };
}

function slerp(a: Quaternion, b: Quaternion, share: number): Quaternion {
  const dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  const [first, second] =
    sine < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
  const at = (n: 0 | 1 | 2 | 3): number => a[n] * first + b[n] * second * sign;
  return normalise([at(0), at(1), at(2), at(3)]) ?? a;
}

function normalise([x, y, z, w]: Quaternion): Quaternion | null {
  const length = Math.hypot(x, y, z, w);
  return length > 1e-9 ? [x / length, y / length, z / length, w / length] : null;
}

/** The turn from angles around the fixed axes x, y and z, as in URDF. */
export function fromAngles(roll: number, pitch: number, yaw: number): Quaternion {
  const about = (angle: number, axis: 0 | 1 | 2): Quaternion => {
    const turn: [number, number, number, number] = [0, 0, 0, Math.cos(angle / 2)];
    turn[axis] = Math.sin(angle / 2);
    return turn;
  };
  return multiply(multiply(about(yaw, 2), about(pitch, 1)), about(roll, 0));
}

/** x, y and z; one that is missing is 0. Throws for what is no finite number. */
export function readVector(value: unknown): Vector {
  const fields = readFields(value ?? {});
  return [readCoordinate(fields, "x"), readCoordinate(fields, "y"), readCoordinate(fields, "z")];
}

function readCoordinate(fields: Fields, name: string): number {
  if (fields[name] === undefined) return 0;
  const number = readNumber(fields, name);
  if (!Number.isFinite(number)) throw new UnreadableMessage(`The field "${name}" is not a finite number.`);
  return number;
}

/** A turn. One of length 0, as nobody set it, is none; one that is off by more than a hundredth is counted. */
export function readQuaternion(value: unknown, notes: Notes): Quaternion {
  const fields = readFields(value ?? {});
  const parts: Quaternion = [...readVector(fields), fields.w === undefined ? 0 : readCoordinate(fields, "w")];
  const turn = normalise(parts);
  if (turn === null) {
    // A message without any turn says nothing wrong.
    if (value !== undefined && value !== null)
      notes.count("turn of length 0, drawn unturned", "turns of length 0, drawn unturned");
    return identity.orientation;
  }
  if (Math.abs(Math.hypot(...parts) - 1) > 0.01)
    notes.count("turn that was not of length 1", "turns that were not of length 1");
  return turn;
}

/** `position` and `orientation`, or `translation` and `rotation`. */
export function readPose(value: unknown, notes: Notes): Pose {
  const fields = readFields(value ?? {});
  const position = fields.position ?? fields.translation;
  const orientation = fields.orientation ?? fields.rotation;
  return { position: readVector(position), orientation: readQuaternion(orientation, notes) };
}

/** A pose of a list; null, and counted, when it holds what is no number. */
export function readPoseIn(value: unknown, notes: Notes): Pose | null {
  try {
    return readPose(value, notes);
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    notes.count("pose that is no number", "poses that are no numbers");
    return null;
  }
}

/** A frame's name as transforms have it: without the slash of ROS 1. */
export const toFrame = (name: unknown): string => (typeof name === "string" ? name.replace(/^\/+/, "") : "");

/** The frame that a message says it is seen from; empty when it says none. */
export const readFrame = (fields: Fields): string =>
  toFrame("header" in fields ? readPart(fields, "header").frame_id : fields.frame_id);
