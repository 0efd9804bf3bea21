import { countThings, Notes } from "@/engine/messages/notes";
import { createFieldReader, readPackedFields } from "@/engine/messages/packed-numbers";
import { identity, readFrame, readPose } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import {
  readBytes,
  readFields,
  readNumber,
  toShortName,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { Cloud, PackedField } from "@/engine/messages/scene-object";

/** Points beyond this are refused: drawing them takes seconds and gigabytes. */
const maxPoints = 20_000_000;

/** A `sensor_msgs/PointCloud2`. Throws UnreadableMessage when its bytes do not hold what its fields say. */
export function readRosCloud(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const [width, height] = [readCount(message, "width"), readCount(message, "height")];
  const stride = readCount(message, "point_step");
  const rowStep = readCount(message, "row_step");
  const fields = readPackedFields(message, stride, "ros", notes);
  const data = readBytes(message, "data");
  const count = width * height;
  checkCount(count, stride);
  const row = width * stride;
  // Some drivers leave the length of a row out, and the last row need not be padded.
  const step = height > 1 && rowStep > 0 ? rowStep : row;
  if (step < row)
    throw new UnreadableMessage(`The field "row_step" is ${step}; ${width} points of ${stride} bytes take ${row}.`);
  const needed = count === 0 ? 0 : step * (height - 1) + row;
  if (data.length < needed)
    throw new UnreadableMessage(
      `The message says ${width} × ${height} points of ${stride} bytes (${needed.toLocaleString("en")}) but carries ${data.length.toLocaleString("en")}.`,
    );
  const isLittleEndian = !(message.is_bigendian === true || message.is_bigendian === 1);
  const packed = step === row ? data.subarray(0, needed) : joinRows(data, row, step, height);
  const cloud = { pose: identity, count, stride, isLittleEndian, fields, data: packed };
  return finishCloud(message, count > 0 && height > 1 ? { ...cloud, rows: height } : cloud, notes);
}

/** A `foxglove.PointCloud`. Throws UnreadableMessage when its bytes do not hold what its fields say. */
export function readFoxgloveCloud(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const stride = readCount(message, "point_stride");
  const fields = readPackedFields(message, stride, "foxglove", notes);
  const all = readBytes(message, "data");
  const count = stride === 0 ? 0 : Math.floor(all.length / stride);
  checkCount(count, stride || (all.length === 0 ? 1 : 0));
  if (count * stride < all.length)
    notes.add(`${countThings(all.length - count * stride, "byte", "bytes")} after the last point`);
  const pose = readPose(message.pose, notes);
  const data = all.subarray(0, count * stride);
  return finishCloud(message, { pose, count, stride, isLittleEndian: true, fields, data }, notes);
}

function checkCount(count: number, stride: number): void {
  if (count > 0 && stride === 0) throw new UnreadableMessage("The points of the cloud have no bytes.");
  if (stride === 0) throw new UnreadableMessage("The points of the cloud have no bytes.");
  checkPointCount(count);
}

/** Throws UnreadableMessage for more points than are drawn. */
export function checkPointCount(count: number): void {
  if (count > maxPoints)
    throw new UnreadableMessage(
      `The cloud says ${count.toLocaleString("en")} points; at most ${maxPoints.toLocaleString("en")} are drawn.`,
    );
}

function readCount(fields: Fields, name: string): number {
  const number = readNumber(fields, name);
  if (!Number.isInteger(number) || number < 0)
    throw new UnreadableMessage(`The field "${name}" is ${number}, which is no count.`);
  return number;
}

function joinRows(data: Uint8Array, row: number, step: number, rows: number): Uint8Array {
  const joined = new Uint8Array(row * rows);
  for (let at = 0; at < rows; at++) joined.set(data.subarray(at * step, at * step + row), at * row);
  return joined;
}

type Packed = Omit<Cloud, "kind" | "frame" | "stamp">;

/** The cloud of a message, whose points were unpacked. Throws UnreadableMessage when they have no place. */
export function finishCloud(message: Fields, packed: Packed, notes: Notes): SceneMessage {
  for (const name of ["x", "y"]) {
    if (packed.count > 0 && !packed.fields.some((field) => field.name === name))
      throw new UnreadableMessage(`The cloud has no field "${name}".`);
  }
  const cloud: Cloud = { kind: "cloud", frame: readFrame(message), stamp: readStamp(message), ...packed };
  notes.count("point whose place is no number", "points whose place is no number", countUnplaced(cloud));
  return { objects: [cloud], notes: notes.list() };
}

/** The points without a place, which are not drawn. */
function countUnplaced(cloud: Cloud): number {
  const readers = cloud.fields
    .filter(({ name, type }) => ["x", "y", "z"].includes(name) && type.startsWith("float"))
    .map((field) => createFieldReader(cloud.data, field, cloud.isLittleEndian));
  let unplaced = 0;
  for (let point = 0, at = 0; point < cloud.count; point++, at += cloud.stride) {
    for (const read of readers) {
      if (Number.isFinite(read(at))) continue;
      unplaced++;
      break;
    }
  }
  return unplaced;
}

export const findField = ({ fields }: Cloud, name: string): PackedField | null =>
  fields.find((field) => field.name === name) ?? null;

/** What reads the clouds of a schema; null for schemas of other things. */
export function findCloudAdapter(schemaName: string): ((value: unknown) => SceneMessage) | null {
  const name = toShortName(schemaName);
  if (name === "sensor_msgs/PointCloud2") return readRosCloud;
  return name === "foxglove.PointCloud" ? readFoxgloveCloud : null;
}
