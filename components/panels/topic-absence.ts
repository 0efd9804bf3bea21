import { formatDuration } from "@/components/kit/format";
import { isoFromNs } from "@/domain/time/nanoseconds";

/**
 * What every panel says of a topic at a moment before its first message; `first` null: it has none. Without a moment it does
 * not say in how long that is.
 */
export function describeAbsence(topic: string, first: bigint | null, moment: bigint | null): string {
  if (first === null) return `No messages of ${topic}`;
  const wait = moment === null || moment > first ? "" : ` (in ${formatDuration(Number(first - moment) / 1e6)})`;
  return `First message of ${topic} at ${isoFromNs(first)}${wait}`;
}
