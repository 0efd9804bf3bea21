import { fromBase64 } from "@/engine/bytes";

/** A message that a panel cannot show; `message` is safe to show to users. */
export class UnreadableMessage extends Error {
  override readonly name = "UnreadableMessage";
}

/** A decoded message, or a part of one. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The name of a schema without what differs between ROS 1, ROS 2 and protobuf: `sensor_msgs/Image` for
 * `sensor_msgs/msg/Image`, `foxglove.RawImage` for `foxglove_msgs/msg/RawImage`.
 */
export function toShortName(schemaName: string): string {
  const name = schemaName.replace(/\/(msg|srv|action)\//, "/").replace(/::(msg|srv|action)::|::/g, "/");
  return name.startsWith("foxglove_msgs/") ? name.replace("foxglove_msgs/", "foxglove.") : name;
}

/** A decoded message as an object; throws for anything else. */
export function readFields(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new UnreadableMessage("The message is not an object.");
}

/** A number, also one of 64 bits or as text in JSON; throws when it is missing or none. */
export function readNumber(fields: Fields, name: string): number {
  const value = fields[name];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "bigint") return Number(number);
  if (typeof number === "number" && !Number.isNaN(number)) return number;
  throw new UnreadableMessage(`The field "${name}" is not a number.`);
}

/** A part of a message as an object; empty when it is missing. */
export function readPart(fields: Fields, name: string): Fields {
  const value = fields[name];
  return value === undefined || value === null ? {} : readFields(value);
}

/** A list, also one of numbers in an array of their type; empty when it is missing. */
export function readList(fields: Fields, name: string): ArrayLike<unknown> {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value) && "length" in value) return value as unknown as ArrayLike<unknown>;
  throw new UnreadableMessage(`The field "${name}" is no list.`);
}

/** A text; empty when it is missing. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Bytes: as such, as a list of numbers, or in JSON as base64; a view of the message where that is possible. */
export function readBytes(fields: Fields, name: string): Uint8Array {
  const value = fields[name];
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === "string") return decodeBase64(value, name);
  if (Array.isArray(value)) return Uint8Array.from(value as number[]);
  throw new UnreadableMessage(`The field "${name}" holds no bytes.`);
}

function decodeBase64(text: string, name: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    throw new UnreadableMessage(`The field "${name}" is not base64.`);
  }
}

/** Widths and heights beyond this are refused: nobody can look at more. */
const maxPixels = 100_000_000;

/** The size of a picture in pixels; throws for one without pixels or of more than 100 megapixels. */
export function checkSize(width: number, height: number): void {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width <= 0 || height <= 0)
    throw new UnreadableMessage(`The picture has no pixels: ${width} × ${height}.`);
  if (width * height > maxPixels)
    throw new UnreadableMessage(`The picture has ${width} × ${height} pixels; at most 100 megapixels are shown.`);
}
