import { readPart, type Fields } from "@/engine/messages/reading";

const second = 1_000_000_000n;

/** Nanoseconds since 1970 in any of the forms that schemas have; null for zero and for what is none. */
export function readTime(value: unknown): bigint | null {
  if (typeof value === "bigint") return value > 0n ? value : null;
  if (typeof value === "string") return readText(value);
  if (typeof value !== "object" || value === null) return null;
  const parts = value as Readonly<Record<string, unknown>>;
  const seconds = toWhole(parts.sec ?? parts.secs ?? parts.seconds);
  const rest = toWhole(parts.nsec ?? parts.nanosec ?? parts.nsecs ?? parts.nanos ?? 0);
  if (seconds === null || rest === null) return null;
  const time = seconds * second + rest;
  return time > 0n ? time : null;
}

/** A duration in nanoseconds; 0 when it is missing. */
export const readDuration = (value: unknown): bigint => readTime(value) ?? 0n;

/** The time that a message's own header or timestamp says, nanoseconds since 1970; null when it is not set. */
export const readStamp = (fields: Fields): bigint | null =>
  readTime("header" in fields ? readPart(fields, "header").stamp : (fields.timestamp ?? fields.stamp));

function toWhole(value: unknown): bigint | null {
  if (typeof value === "bigint") return value;
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? BigInt(Math.trunc(number)) : null;
}

/** RFC 3339 as JSON messages have it, with up to nine digits of a second. */
function readText(text: string): bigint | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  const milliseconds = match ? Date.parse(`${match[1]}${match[3]}`) : Number.NaN;
  if (Number.isNaN(milliseconds)) return null;
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? "").padEnd(9, "0"));
}

/** A stamp that is this far from the log's time is of another clock. */
const otherClock = 3_600n * second;

/** The stamp by the clock of the recording: the log's time where nobody set one, or another clock did. */
export function chooseStamp(stamp: bigint | null, logTime: bigint): bigint {
  if (stamp === null) return logTime;
  const apart = stamp > logTime ? stamp - logTime : logTime - stamp;
  return apart > otherClock ? logTime : stamp;
}

/** What is wrong with a stamp, in a few words: nobody set it, or it is of another clock; null when nothing is. */
export function describeStamp(stamp: bigint | null, logTime: bigint): string | null {
  if (stamp === null) return "stamp not set";
  if (chooseStamp(stamp, logTime) === stamp) return null;
  const hours = Math.abs(Number(stamp - logTime)) / 3.6e12;
  return hours < 48
    ? `stamp ${Math.round(hours)} h off`
    : `stamp ${Math.round(hours / 24).toLocaleString("en")} days off`;
}
