import { formatDuration, formatInstant } from "@/components/kit/format";
import { msFromNs } from "@/domain/time/nanoseconds";

/** What every panel says alike. Times in nanoseconds since 1970, durations in seconds. */

/** The time of day of a message, to the millisecond, in the time zone of the person. */
export const showTimeOfDay = (time: bigint, zone: string): string =>
  formatInstant(msFromNs(time), zone, "millisecond").slice(11, 23);

/** What a panel says of a topic without a message in the recording. */
export const describeNone = (topic: string): string => `No messages of ${topic}`;

/**
 * Of a topic at a moment before its first message; `first` null: it has none. Without a moment it does not say in how long
 * that is.
 */
export function describeAbsence(topic: string, first: bigint | null, moment: bigint | null, zone: string): string {
  if (first === null) return describeNone(topic);
  const wait = moment === null || moment > first ? "" : ` (in ${formatDuration(Number(first - moment) / 1e6)})`;
  return `First message of ${topic} at ${showTimeOfDay(first, zone)}${wait}`;
}

/** What it says of a part of the recording without data; both ends as the page writes times. */
export const describeGap = (from: string, to: string): string => `no data ${from}–${to}`;

/** How old a message is at the playhead. */
export const describeAge = (seconds: number): string =>
  Math.abs(seconds) < 0.0005 ? "now" : `${formatDuration(seconds * 1000)} old`;

/** Whether a message is too old to stand for the moment: five periods of its topic, and at least two seconds. */
export const isStale = (seconds: number, frequency: number): boolean =>
  seconds > Math.max(2, frequency > 0 ? 5 / frequency : 0);

/** What it says of pictures that were left out while the recording played; `part` from 0 to 1. */
export const describeDropped = (part: number): string =>
  `${Math.min(100, Math.max(1, Math.round(part * 100)))} % dropped: decoding`;

/** The reason where the files of a recording were deleted, or archived. */
export const filesGone = "The files of this recording are gone; its evidence stays.";

/** The reason in a browser without WebGL. */
export const needsWebGl = "3-D needs WebGL; the list of objects is below.";

/** The reason where this browser decodes video on other pages only, while the server does it here. */
export const videoNeedsHttps = "Video needs https; pictures come from the server";

/** What the server says of a bucket that it cannot read. */
const bucketRefusal = /^The bucket "(.+)" could not be used: (.*)\.$/s;

/** Why a recording could not be read: what the server says, or `filesGone` where it has no such files. */
export function describeRefusal(detail: string, status: number | undefined): string {
  const bucket = bucketRefusal.exec(detail);
  if (bucket) {
    const [, name = "", reason = ""] = bucket;
    return `Bucket ${name} does not answer (${/\((\d{3})\)$/.exec(reason)?.[1] ?? reason}).`;
  }
  return status === 404 ? filesGone : detail;
}

/** Whether it is a bucket that refuses, for which there is a page. */
export const isOfBucket = (refusal: string): boolean => /^Bucket .* does not answer \(/s.test(refusal);
