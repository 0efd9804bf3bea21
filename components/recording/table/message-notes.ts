import { describeStamp, readTime } from "@/engine/messages/poses/stamp";
import { toShortName } from "@/engine/messages/reading";

const soundSchemas = new Set(["audio_common_msgs/AudioData", "foxglove.RawAudio", "foxglove.CompressedAudio"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The stamp of a decoded message, in the form of its schema; undefined where it has none, or one that is something else. */
function findStamp(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const stamp = isRecord(value.header) ? value.header.stamp : (value.timestamp ?? value.stamp);
  const isTime = isRecord(stamp) && ["sec", "secs", "seconds"].some((name) => name in stamp);
  return isTime || (typeof stamp === "string" && readTime(stamp) !== null) ? stamp : undefined;
}

/** What a message's panel says of it beside its values; `loggedNs`: when it was recorded, in nanoseconds since 1970. */
export function listMessageNotes(schema: string, value: unknown, loggedNs: bigint): string[] {
  const stamp = findStamp(value);
  const note = stamp === undefined ? null : describeStamp(readTime(stamp), loggedNs);
  return [
    ...(note === null ? [] : [`${note.charAt(0).toUpperCase()}${note.slice(1)}: the time of the log counts`]),
    ...(soundSchemas.has(toShortName(schema)) ? ["Sound is not played yet"] : []),
  ];
}
