import { Notes } from "@/engine/messages/notes";
import {
  fromAngles,
  identity,
  multiply,
  readFrame,
  readPose,
  readPoseIn,
  readQuaternion,
  readVector,
  type Pose,
  type Quaternion,
  type Vector,
} from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readNumber, readPart, UnreadableMessage, type Fields } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Colour, Shape } from "@/engine/messages/scene-object";

/** Poses, points and edges of one message that are drawn. */
const maxPlaces = 100_000;

const colours = {
  pose: [0.2, 0.55, 1, 1],
  line: [0.15, 0.7, 0.35, 1],
  measured: [1, 0.6, 0.1, 1],
  uncertain: [0.2, 0.55, 1, 0.25],
} as const satisfies Record<string, Colour>;

/** An arrow of a length along x. */
export const toArrow = (pose: Pose, length: number, colour: Colour): Shape => ({
  kind: "arrow",
  pose,
  colour,
  shaft: [length * 0.75, length * 0.1],
  head: [length * 0.25, length * 0.2],
});

/** What a message shows in the frame that it names itself. */
function finish(message: Fields, name: string, shapes: Shape[], notes: Notes): SceneMessage {
  const placed = { frame: readFrame(message), stamp: readStamp(message), isLocked: false };
  return { objects: [{ kind: "figures", name, shapes, ...placed }], notes: notes.list() };
}

function checkLength(list: ArrayLike<unknown>, things: string): void {
  if (list.length > maxPlaces)
    throw new UnreadableMessage(
      `The message has ${list.length.toLocaleString("en")} ${things}; at most ${maxPlaces.toLocaleString("en")} are drawn.`,
    );
}

/** The points of a line as the renderer takes them; those that are no numbers are counted. */
export const readPoints = (list: ArrayLike<unknown>, notes: Notes): Float32Array =>
  readCornerGroups(list, 1, notes).points;

/**
 * Points of which each `size` belong together, as the two of a piece of a line. One that is no number, or that completes none,
 * is counted, and with it goes its group. `kept`: where the points are in the list.
 */
export function readCornerGroups(
  list: ArrayLike<unknown>,
  size: number,
  notes: Notes,
): { points: Float32Array; kept: number[] } {
  const whole = list.length - (list.length % size);
  notes.count(
    "point that completes no line or triangle",
    "points that complete no line or triangle",
    list.length - whole,
  );
  const points = new Float32Array(whole * 3);
  const kept: number[] = [];
  for (let first = 0; first < whole; first += size) {
    const before = kept.length;
    try {
      for (let at = first; at < first + size; at++) {
        points.set(readVector(list[at]), kept.length * 3);
        kept.push(at);
      }
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      kept.length = before;
      notes.count("point whose place is no number", "points whose place is no number");
    }
  }
  return { points: points.subarray(0, kept.length * 3), kept };
}

/** A `PoseStamped`, or a `foxglove.PoseInFrame`. */
export function readPoseMessage(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  return finish(message, "pose", [toArrow(readPose(message.pose, notes), 0.6, colours.pose)], notes);
}

/** A pose of which is known how sure it is: an arrow, and the ellipse of two standard deviations. */
export function showUncertain(place: Pose, covariance: unknown): Shape[] {
  const shapes = [toArrow(place, 0.6, colours.pose)];
  const list = Array.isArray(covariance) || ArrayBuffer.isView(covariance) ? (covariance as ArrayLike<unknown>) : [];
  const [xx, xy, yy] = [Number(list[0]), Number(list[1]), Number(list[7])];
  const [middle, apart] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
  const [longer, shorter] = [Math.sqrt(middle + apart), Math.sqrt(Math.max(0, middle - apart))];
  if (!Number.isFinite(longer) || longer === 0) return shapes;
  const turn = fromAngles(0, 0, Math.atan2(2 * xy, xx - yy) / 2);
  const size: Vector = [4 * longer, Math.max(4 * shorter, 1e-3), 1e-3];
  // Covariances of ROS are in the frame of the header.
  shapes.push({
    kind: "sphere",
    pose: { position: place.position, orientation: turn },
    size,
    colour: colours.uncertain,
  });
  return shapes;
}

/** A `PoseWithCovarianceStamped`. */
export function readUncertainPose(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const { pose, covariance } = readPart(message, "pose");
  return finish(message, "pose", showUncertain(readPose(pose, notes), covariance), notes);
}

/** A `PoseArray`, or a `foxglove.PosesInFrame`. */
export function readPoses(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const list = readList(message, "poses");
  checkLength(list, "poses");
  const shapes = Array.from(list).flatMap((each) => {
    const pose = readPoseIn(each, notes);
    return pose ? [toArrow(pose, 0.4, colours.pose)] : [];
  });
  return finish(message, "poses", shapes, notes);
}

/** A `nav_msgs/Path`: a line in the frame of the path, or of its poses where it names none. */
export function readPath(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const list = Array.from(readList(message, "poses"), (each) => readFields(each));
  checkLength(list, "poses");
  const positions = list.map((each) => readPart(readPart(each, "pose"), "position"));
  const own = readFrame(message);
  const [first] = list;
  const frame = own || (first ? readFrame(first) : "");
  const others = new Set(list.map((each) => readFrame(each) || frame).filter((name) => name !== frame));
  if (others.size > 0)
    notes.add(`its poses name other frames too: ${[...others].slice(0, 3).join(", ")}; all are drawn in ${frame}`);
  const points = readPoints(positions, notes);
  const line: Shape = { kind: "line", pose: identity, colour: colours.line, points, colours: null };
  const result = finish(message, "path", [line], notes);
  return { ...result, objects: result.objects.map((object) => ({ ...object, frame })) };
}

/** A `PolygonStamped`: its outline. */
export function readPolygon(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const list = readList(readPart(message, "polygon"), "points");
  checkLength(list, "points");
  const open = readPoints(list, notes);
  const points = new Float32Array([...open, ...open.subarray(0, 3)]);
  return finish(
    message,
    "polygon",
    [{ kind: "line", pose: identity, colour: colours.line, points, colours: null }],
    notes,
  );
}

/** A `PointStamped`, or a `foxglove.Point3InFrame`. */
export function readPointMessage(value: unknown): SceneMessage {
  const message = readFields(value);
  const pose = { position: readVector(message.point), orientation: identity.orientation };
  const dot: Shape = { kind: "sphere", pose, size: [0.2, 0.2, 0.2], colour: colours.measured };
  return finish(message, "point", [dot], new Notes());
}

/** A `sensor_msgs/Range`: a cone from the sensor to what it measured. */
export function readRange(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const range = Number(message.range);
  const [min, max] = [readNumber(message, "min_range"), readNumber(message, "max_range")];
  if (!Number.isFinite(range) || range < min || range > max) {
    notes.add("nothing within the range of the sensor");
    return finish(message, "range", [], notes);
  }
  const width = 2 * range * Math.tan(Math.min(1.5, Math.max(0.01, readNumber(message, "field_of_view") / 2)));
  // A cone stands along z with its tip up: laid along x with its tip at the sensor.
  const orientation = fromAngles(0, -Math.PI / 2, 0);
  const pose = { position: [range / 2, 0, 0] as const, orientation };
  const colour: Colour = [colours.measured[0], colours.measured[1], colours.measured[2], 0.4];
  return finish(message, "range", [{ kind: "cone", pose, size: [width, width, range], colour }], notes);
}

/** A `sensor_msgs/Imu`: its orientation where it has one, and the direction of its acceleration. */
export function readImu(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const shapes: Shape[] = [];
  const covariance = readList(message, "orientation_covariance");
  if (Number(covariance[0]) === -1) notes.add("no orientation");
  else {
    const orientation = readQuaternion(message.orientation, notes);
    shapes.push({ kind: "axes", pose: { position: [0, 0, 0], orientation }, length: 0.4, colour: colours.pose });
  }
  const acceleration = readVector(message.linear_acceleration);
  const length = Math.hypot(...acceleration);
  // A metre for each ten m/s².
  if (length > 1e-6) {
    const pose = { position: [0, 0, 0] as const, orientation: turnTo(acceleration) };
    shapes.push(toArrow(pose, length / 10, colours.measured));
  }
  return finish(message, "acceleration", shapes, notes);
}

/** The turn that takes the x axis to a direction. */
export function turnTo([x, y, z]: Vector): Quaternion {
  const yaw = Math.atan2(y, x);
  const pitch = -Math.atan2(z, Math.hypot(x, y));
  return multiply(fromAngles(0, 0, yaw), fromAngles(0, pitch, 0));
}
