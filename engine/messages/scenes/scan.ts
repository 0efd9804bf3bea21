import { Notes } from "@/engine/messages/notes";
import { identity, readFrame, readPose } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readNumber, UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { PackedField } from "@/engine/messages/scene-object";
import { defaultReading, type LayerReading } from "@/engine/messages/scenes/layer-reading";

const names = ["x", "y", "z", "range", "intensity"];
const fields: PackedField[] = names.map((name, at) => ({ name, offset: at * 4, type: "float32" }));

/**
 * A `sensor_msgs/LaserScan` or `MultiEchoLaserScan` (the first echo of each beam, or all), or a `foxglove.LaserScan`, as points
 * in the plane of the scanner with their range and intensity. Ranges outside the sensor's limits are left out and counted.
 * Points of neighbouring beams are joined to a line, which breaks where a range was left out.
 */
export function readScan(
  value: unknown,
  { allEchoes }: Pick<LayerReading, "allEchoes"> = defaultReading,
): SceneMessage {
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
  const points: number[] = [];
  const segments: number[] = [];
  let count = 0;
  /** Of the beam before: the point of each echo; undefined for one that was left out. */
  let before: (number | undefined)[] = [];
  for (let beam = 0; beam < ranges.length; beam++) {
    const echoes = listEchoes(ranges[beam], allEchoes);
    const strengths = listEchoes(intensities[beam], allEchoes);
    const angle = start + beam * step;
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    if (echoes.length === 0) notes.count("beam without a range", "beams without a range");
    before = echoes.map((range, echo) => {
      if (!Number.isFinite(range)) notes.count("beam without a range", "beams without a range");
      else if (range < min || range > max)
        notes.count("range outside the scanner's limits", "ranges outside the scanner's limits");
      else {
        points.push(cosine * range, sine * range, 0, range, strengths[echo] ?? Number.NaN);
        const neighbour = before[echo];
        if (neighbour !== undefined) segments.push(neighbour, count);
        return count++;
      }
      return undefined;
    });
  }
  const stride = names.length * 4;
  const data = new Uint8Array(Float32Array.from(points).buffer);
  const pose = isRos ? identity : readPose(message.pose, notes);
  const placed = { frame: readFrame(message), stamp: readStamp(message) };
  const cloud = {
    kind: "cloud" as const,
    ...placed,
    pose,
    count,
    stride,
    isLittleEndian: true,
    data,
    segments: Uint32Array.from(segments),
  };
  // Scanners without intensities send an empty list.
  const present = fields.filter(({ name }) => name !== "intensity" || intensities.length > 0);
  return { objects: [{ ...cloud, fields: present }], notes: notes.list() };
}

/** A number alone, or the first or all of several echoes. */
function listEchoes(value: unknown, all: boolean): number[] {
  if (typeof value === "object" && value !== null && "echoes" in value) {
    const echoes = readList(readFields(value), "echoes");
    return Array.from({ length: all ? echoes.length : Math.min(1, echoes.length) }, (_, at) => Number(echoes[at]));
  }
  return [value === null || value === undefined ? Number.NaN : Number(value)];
}
