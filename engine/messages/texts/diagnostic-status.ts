import { readFields, readText, toShortName, UnreadableMessage, type Fields } from "@/engine/messages/reading";

/** By their numbers. A stale status is of a part that no longer reports. */
export const diagnosticLevels = ["ok", "warning", "error", "stale"] as const;
export type DiagnosticLevel = (typeof diagnosticLevels)[number];

/** What a part of the robot says about itself. */
export interface DiagnosticStatus {
  /** Null for a level that the message type does not know. */
  level: DiagnosticLevel | null;
  /** Names the part; slashes part its levels. */
  name: string;
  text: string;
  hardwareId: string;
  values: { key: string; value: string }[];
}

/** Values of one status that are shown. */
const maxValues = 200;

export const isDiagnosticSchema = (schemaName: string): boolean =>
  toShortName(schemaName) === "diagnostic_msgs/DiagnosticArray";

/** The statuses of a decoded `diagnostic_msgs/DiagnosticArray`, which holds part of the robot's. */
export function readDiagnostics(value: unknown): DiagnosticStatus[] {
  return readList(readFields(value), "status").map((status) => ({
    level: readLevel(status),
    name: readText(status, "name"),
    text: readText(status, "message"),
    hardwareId: readText(status, "hardware_id"),
    values: readList(status, "values")
      .slice(0, maxValues)
      .map((entry) => ({ key: readText(entry, "key"), value: readText(entry, "value") })),
  }));
}

function readList(fields: Fields, name: string): Fields[] {
  const list = fields[name];
  if (!Array.isArray(list)) throw new UnreadableMessage(`The field "${name}" is not a list.`);
  return list.map(readFields);
}

/** A byte, which some bridges write as a text of one character. */
function readLevel({ level }: Fields): DiagnosticLevel | null {
  const number = typeof level === "string" && level.length === 1 && level < " " ? level.charCodeAt(0) : Number(level);
  return diagnosticLevels[number] ?? null;
}
