import { Notes } from "@/engine/messages/notes";
import { readFrame, readVector, type Vector } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readPart } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Colour, Shape } from "@/engine/messages/scene-object";
import { turnTo } from "@/engine/messages/scenes/figures";

export const motionColours = {
  along: [1, 0.6, 0.1, 1],
  around: [0.65, 0.35, 0.95, 1],
} as const satisfies Record<string, Colour>;

/** A thin arrow from the origin of its frame; none for what is too small to have a direction. */
export function showVector(vector: Vector, metresPerUnit: number, colour: Colour): Shape[] {
  const length = Math.hypot(...vector) * metresPerUnit;
  if (length < 1e-6) return [];
  const pose = { position: [0, 0, 0] as const, orientation: turnTo(vector) };
  // Its width stays the same, so that a long one does not hide the robot.
  const head = Math.min(length * 0.3, 0.2);
  return [{ kind: "arrow", pose, colour, shaft: [length - head, 0.04], head: [head, 0.1] }];
}

interface Motion {
  name: string;
  /** The member that holds both vectors, and their names. */
  member: string;
  vectors: readonly [along: string, around: string];
  /** Metres of an arrow for a unit of each. */
  scale: readonly [along: number, around: number];
}

/** Two vectors at the origin of the frame of the header: one along it (orange), one around it (violet). */
const readMotion =
  ({ name, member, vectors, scale }: Motion) =>
  (value: unknown): SceneMessage => {
    const message = readFields(value);
    const notes = new Notes();
    const outer = readPart(message, member);
    // With a covariance, it is one level deeper.
    const inner = member in outer ? readPart(outer, member) : outer;
    const shapes = [
      ...showVector(readVector(inner[vectors[0]]), scale[0], motionColours.along),
      ...showVector(readVector(inner[vectors[1]]), scale[1], motionColours.around),
    ];
    if (shapes.length === 0) notes.add("both vectors are zero");
    const placed = { frame: readFrame(message), stamp: readStamp(message), isLocked: false };
    return { objects: [{ kind: "figures", name, shapes, ...placed }], notes: notes.list() };
  };

/** A metre for each m/s and each rad/s. */
export const readTwist = readMotion({
  name: "twist",
  member: "twist",
  vectors: ["linear", "angular"],
  scale: [1, 1],
});

/** A metre for each ten m/s², as the acceleration of an IMU, and for each rad/s². */
export const readAcceleration = readMotion({
  name: "acceleration",
  member: "accel",
  vectors: ["linear", "angular"],
  scale: [0.1, 1],
});

/** A metre for each ten newtons, and for each ten newton metres. */
export const readWrench = readMotion({
  name: "wrench",
  member: "wrench",
  vectors: ["force", "torque"],
  scale: [0.1, 0.1],
});
