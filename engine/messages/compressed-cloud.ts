import { readBytes, readFields, readText, UnreadableMessage } from "@/engine/messages/reading";

/** A `foxglove.CompressedPointCloud`, which is not drawn. Always throws UnreadableMessage. */
export function readCompressedCloud(value: unknown): never {
  const message = readFields(value);
  const format = readText(message, "format").slice(0, 20) || "draco";
  const size = readBytes(message, "data").length.toLocaleString("en");
  throw new UnreadableMessage(`Point clouds compressed by ${format} are not drawn; this one has ${size} bytes.`);
}
