import { Notes } from "@/engine/messages/notes";
import { identity, readFrame, readPose } from "@/engine/messages/pose";
import { readFields, readList, readNumber, UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { PackedField } from "@/engine/messages/scene-object";
import { readStamp } from "@/engine/messages/stamp";

const names = ["x", "y", "z", "range", "intensity"];
const fields: PackedField[] = names.map((name, at) => ({ name, offset: at * 4, type: "float32" }));

/**
 * A `sensor_msgs/LaserScan` or `MultiEchoLaserScan` (its first echoes), or a `foxglove.LaserScan`, as points in the plane of
 * the scanner with their range and intensity. Ranges outside the sensor's limits are left out and counted.
 */
export function readScan(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const ranges = readList(message, "ranges");
  const intensities = readList(message, "intensities");
  const isRos = "angle_min" in message;
  const start = readNumber(message, isRos ? "angle_min" : "start_angle");
  const step = isRos
    ? readNumber(message, "angle_increment")
    : (readNumber(message, "end_angle") - start) / Math.max(1, ranges.length - 1);
  if (!Number.isFinite(start) || !Number.isFinite(step))
    throw new UnreadableMessage("The angles of the scan are not finite.");
  const [min, max] = isRos ? [readNumber(message, "range_min"), readNumber(message, "range_max")] : [0, Infinity];
  const points = new Float32Array(ranges.length * names.length);
  let count = 0;
  for (let beam = 0; beam < ranges.length; beam++) {
    const range = readEcho(ranges[beam]);
    if (!Number.isFinite(range)) notes.count("beams without a range");
    else if (range < min || range > max) notes.count("ranges outside the scanner's limits");
    else {
      const angle = start + beam * step;
      const place = [Math.cos(angle) * range, Math.sin(angle) * range, 0, range, readEcho(intensities[beam])];
      points.set(place, count++ * names.length);
    }
  }
  const stride = names.length * 4;
  const data = new Uint8Array(points.buffer, 0, count * stride);
  const pose = isRos ? identity : readPose(message.pose, notes);
  const placed = { frame: readFrame(message), stamp: readStamp(message) };
  const cloud = { kind: "cloud" as const, ...placed, pose, count, stride, isLittleEndian: true, data };
  // Scanners without intensities send an empty list.
  const present = fields.filter(({ name }) => name !== "intensity" || intensities.length > 0);
  return { objects: [{ ...cloud, fields: present }], notes: notes.list() };
}

/** A number, or the first of several echoes. */
function readEcho(value: unknown): number {
  if (typeof value === "object" && value !== null && "echoes" in value) {
    const { echoes } = value;
    return Array.isArray(echoes) || ArrayBuffer.isView(echoes) ? Number((echoes as ArrayLike<unknown>)[0]) : Number.NaN;
  }
  return value === null || value === undefined ? Number.NaN : Number(value);
}
