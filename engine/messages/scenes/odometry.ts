import { getColours } from "@/engine/messages/colour-scale";
import { Notes } from "@/engine/messages/notes";
import { compose, identity, readFrame, readPose, readVector, type Pose, type Vector } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readPart, UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Colour, Shape } from "@/engine/messages/scene-object";
import { showUncertain } from "@/engine/messages/scenes/figures";
import { motionColours, showVector } from "@/engine/messages/scenes/motion";

/** Where something is and how it moves. */
interface Motion {
  /** The frame that the pose is seen from; empty where nobody said. */
  frame: string;
  stamp: bigint | null;
  pose: Pose;
  covariance: unknown;
  /** In m/s and rad/s, seen from the moved frame itself; null where the message does not say it. */
  linear: Vector | null;
  angular: Vector | null;
}

/** A `nav_msgs/Odometry`, whose pose and twist have covariances, or a `foxglove.Odometry`. Throws UnreadableMessage. */
function readMotion(value: unknown, notes: Notes): Motion {
  const message = readFields(value);
  const outer = readPart(message, "pose");
  const isRos = "pose" in outer;
  const twist = isRos ? readPart(readPart(message, "twist"), "twist") : {};
  const read = (vector: unknown): Vector | null => {
    if (vector === undefined || vector === null) return null;
    try {
      return readVector(vector);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      notes.count("velocity that is no number", "velocities that are no numbers");
      return null;
    }
  };
  return {
    frame: readFrame(message),
    stamp: readStamp(message),
    pose: readPose(isRos ? outer.pose : message.pose, notes),
    covariance: isRos ? outer.covariance : message.pose_covariance,
    linear: read(isRos ? twist.linear : message.linear_velocity),
    angular: read(isRos ? twist.angular : message.angular_velocity),
  };
}

/**
 * An arrow with its ellipse, and the twist: a metre for each m/s (orange) and each rad/s (violet). The twist is seen from the
 * child frame, which is where the pose is, so that no transform is needed for it.
 */
function showMotion({ pose, covariance, linear, angular }: Motion): Shape[] {
  const arrows = [
    ...(linear ? showVector(linear, 1, motionColours.along) : []),
    ...(angular ? showVector(angular, 1, motionColours.around) : []),
  ];
  const turned = arrows.map((arrow): Shape => ({ ...arrow, pose: compose(pose, arrow.pose) }));
  return [...showUncertain(pose, covariance), ...turned];
}

const finish = ({ frame, stamp }: Motion, shapes: Shape[], notes: Notes): SceneMessage => ({
  objects: [{ kind: "figures", name: "odometry", shapes, frame, stamp, isLocked: false }],
  notes: notes.list(),
});

export function readOdometry(value: unknown): SceneMessage {
  const notes = new Notes();
  const motion = readMotion(value, notes);
  return finish(motion, showMotion(motion), notes);
}

/** A place of a trail. */
export interface TrailPlace {
  frame: string;
  position: Vector;
  /** m/s; null where the message does not say it. */
  speed: number | null;
}

/** Where a message says that something was, and how fast it was. Throws UnreadableMessage. */
export function readTrailPlace(value: unknown): TrailPlace {
  const { frame, pose, linear } = readMotion(value, new Notes());
  return { frame, position: pose.position, speed: linear && Math.hypot(...linear) };
}

const plain: Colour = motionColours.along;
/** Where the speed is not known. */
const unknown: Colour = [0.5, 0.5, 0.5, 1];

/** The last message of odometry with the way to it, in its frame: places of other frames are left out and counted. */
export function readOdometryTrail(value: unknown, places: readonly TrailPlace[], bySpeed: boolean): SceneMessage {
  const notes = new Notes();
  const motion = readMotion(value, notes);
  const own = places.filter(({ frame }) => frame === motion.frame);
  notes.count("place of the trail in another frame", "places of the trail in other frames", places.length - own.length);
  const points = Float32Array.from(own.flatMap(({ position }) => position));
  const speeds = own.flatMap(({ speed }) => (speed === null ? [] : [speed]));
  const hasColours = bySpeed && speeds.length > 0;
  if (bySpeed && speeds.length === 0 && own.length > 0) notes.add("no message says its speed");
  const most = speeds.reduce((a, b) => Math.max(a, b), 0);
  if (hasColours) notes.add(`the trail is coloured by speed, 0 to ${Number(most.toPrecision(3))} m/s`);
  const trail: Shape = {
    kind: "line",
    pose: identity,
    colour: plain,
    points,
    colours: hasColours ? Float32Array.from(own.flatMap(({ speed }) => toColour(speed, most))) : null,
  };
  return finish(motion, [...(own.length > 1 ? [trail] : []), ...showMotion(motion)], notes);
}

function toColour(speed: number | null, most: number): Colour {
  if (speed === null) return unknown;
  const pixel = getColours("turbo")[Math.round((most > 0 ? speed / most : 0) * 255)]!;
  return [(pixel & 255) / 255, ((pixel >> 8) & 255) / 255, ((pixel >> 16) & 255) / 255, 1];
}
