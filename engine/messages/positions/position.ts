import {
  readFields,
  readNumber,
  readText,
  toShortName,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";

/** Where a robot says it is, in metres in a coordinate frame of its own. */
export interface Position {
  /** The frame; empty where the message does not name it. */
  frame: string;
  x: number;
  y: number;
  z: number;
}

/** The schemas, those first that say where a robot is rather than where something may be. */
const schemas: readonly string[] = [
  "nav_msgs/Odometry",
  "geometry_msgs/PoseWithCovarianceStamped",
  "foxglove.PoseInFrame",
  "geometry_msgs/PoseStamped",
];

/** Orders topics by how well their schema says where the robot is; null for one that does not. */
export function rankPositionSchema(schemaName: string): number | null {
  const rank = schemas.indexOf(toShortName(schemaName));
  return rank < 0 ? null : rank;
}

/** The position of a decoded pose or odometry. Throws UnreadableMessage for what has none. */
export function readPosition(value: unknown): Position {
  const fields = readFields(value);
  const pose = readFields(fields["pose"]);
  // With a covariance, the pose is one level deeper.
  const position = readFields((pose["pose"] === undefined ? pose : readFields(pose["pose"]))["position"]);
  return { frame: readFrame(fields), ...readPoint(position) };
}

const readFrame = (fields: Fields): string =>
  readText(fields, "frame_id") ||
  (fields["header"] === undefined ? "" : readText(readFields(fields["header"]), "frame_id"));

function readPoint(fields: Fields): { x: number; y: number; z: number } {
  // Protobuf leaves out what is 0.
  const read = (name: string): number => (fields[name] === undefined ? 0 : readNumber(fields, name));
  const [x, y, z] = [read("x"), read("y"), read("z")];
  if (![x, y, z].every(Number.isFinite)) throw new UnreadableMessage(`${x}, ${y}, ${z} is no position.`);
  return { x, y, z };
}
