import { readFields, readText, toShortName, type Fields } from "@/engine/messages/reading";

/** From the least to the most serious. */
export const logLevels = ["debug", "info", "warning", "error", "fatal"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A line that a program wrote into its log. */
export interface LogLine {
  /** Null for a level that the schema does not know. */
  level: LogLevel | null;
  text: string;
  /** The program; empty where the message does not name it. */
  node: string;
}

/** The numbers of levels by schema. */
const scales: Readonly<Record<string, readonly number[]>> = {
  "rosgraph_msgs/Log": [1, 2, 4, 8, 16],
  "rcl_interfaces/Log": [10, 20, 30, 40, 50],
  "foxglove.Log": [1, 2, 3, 4, 5],
};

export const isLogSchema = (schemaName: string): boolean => Object.hasOwn(scales, toShortName(schemaName));

const names: Readonly<Record<string, LogLevel>> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  warning: "warning",
  error: "error",
  fatal: "fatal",
};

function readLevel({ level }: Fields, scale: readonly number[]): LogLevel | null {
  if (typeof level === "string") return names[level.toLowerCase()] ?? null;
  return logLevels[scale.indexOf(Number(level))] ?? null;
}

/** The control characters that sequences for terminals begin and end with. */
const [bell, escape] = [7, 27].map((code) => String.fromCharCode(code)) as [string, string];
/** After the character that begins it: colours and moves of the cursor, links and titles up to their end, or one character. */
const sequence = new RegExp(`^(?:\\[[\\d;:?<=>]*[ -/]*[@-~]|\\][^${bell}]*(?:${bell}|$)|[ -/]*[0-~])`);

/** The text without what means something to terminals only, and without characters of the number 0. */
function cleanText(text: string): string {
  const [head = "", ...rest] = text.replaceAll("\0", "").split(escape);
  return (head + rest.map((part) => part.replace(sequence, "")).join("")).replaceAll(bell, "");
}

/** A line of a log from a decoded message of a schema for which `isLogSchema` holds. */
export function readLogLine(schemaName: string, value: unknown): LogLine {
  const fields = readFields(value);
  const scale = scales[toShortName(schemaName)] ?? [];
  const text = readText(fields, "msg") || readText(fields, "message");
  return { level: readLevel(fields, scale), text: cleanText(text), node: readText(fields, "name") };
}
