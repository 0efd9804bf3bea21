import { equalBytes, latin1Text } from "@/engine/bytes";
import { MCAP_MAGIC } from "@/engine/formats/mcap/mcap-records";
import type { RecordingSummary } from "@/engine/formats/recording";
import { BAG_MAGIC } from "@/engine/formats/rosbag/rosbag-records";

export type RecordingFormat = RecordingSummary["format"];

/** The format of a file that begins with these bytes; null for none that is read. */
export function detectFormat(start: Uint8Array): RecordingFormat | null {
  if (equalBytes(start.subarray(0, MCAP_MAGIC.length), MCAP_MAGIC)) return "mcap";
  if (equalBytes(start.subarray(0, BAG_MAGIC.length), BAG_MAGIC)) return "rosbag";
  const text = latin1Text(start.subarray(0, 16));
  if (text.startsWith("SQLite format 3\0")) return "db3";
  return text.startsWith("ULog\u0001\u0012\u0035") ? "ulog" : null;
}

/** What the names of its files end in. */
export const extensions: Readonly<Record<RecordingFormat, string>> = {
  mcap: "mcap",
  rosbag: "bag",
  db3: "db3",
  ulog: "ulg",
};
