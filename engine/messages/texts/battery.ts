import { readFields, toShortName, type Fields } from "@/engine/messages/reading";

/** What a robot says of one of its batteries. Null for what its message leaves open. */
export interface Battery {
  /** How full it is, 0 to 100. */
  percent: number | null;
  /** The message says 0 to 100 where its type means 0 to 1. */
  isOutOfScale: boolean;
  /** Volts; amperes, negative while it is discharged; degrees Celsius. */
  voltage: number | null;
  current: number | null;
  temperature: number | null;
  /** What it does, how well it is and what it is made of, in words; the number of a constant that is not known. */
  status: string | null;
  health: string | null;
  technology: string | null;
  isPresent: boolean;
}

export const isBatterySchema = (schemaName: string): boolean => toShortName(schemaName) === "sensor_msgs/BatteryState";

/** By the constants of the message type, from 0; null for unknown. */
const statuses = [null, "charging", "discharging", "not charging", "full"];
const healths = [
  null,
  "good",
  "overheated",
  "dead",
  "overvoltage",
  "failed without a reason",
  "cold",
  "watchdog timer expired",
  "safety timer expired",
];
const technologies = [null, "NiMH", "Li-ion", "LiPo", "LiFe", "NiCd", "LiMn", "ternary lithium", "VRLA"];

/** Above it nobody means the part of a whole. */
const outOfScale = 1.5;

/** A battery from a decoded `sensor_msgs/BatteryState`, also from its form as JSON. */
export function readBattery(value: unknown): Battery {
  const fields = readFields(value);
  const percentage = readFinite(fields, "percentage");
  const isOutOfScale = percentage !== null && percentage > outOfScale;
  const part = percentage === null ? null : isOutOfScale ? percentage / 100 : percentage;
  const current = readFinite(fields, "current");
  return {
    // A negative part, or one of more than the scale of percent, is not known.
    percent: part === null || part < 0 || part > outOfScale ? null : 100 * Math.min(1, part),
    isOutOfScale,
    voltage: readFinite(fields, "voltage"),
    current,
    temperature: readFinite(fields, "temperature"),
    status: readWord(fields, "power_supply_status", statuses) ?? describeCurrent(current),
    health: readWord(fields, "power_supply_health", healths),
    technology: readWord(fields, "power_supply_technology", technologies),
    isPresent: fields.present !== false,
  };
}

/** The sign of the current says what the battery does where nothing else does. */
const describeCurrent = (current: number | null): string | null =>
  current === null || current === 0 ? null : current < 0 ? "discharging" : "charging";

/** A number; null for one that is missing, NaN or infinite, which stand for unknown. */
function readFinite(fields: Fields, name: string): number | null {
  const value = fields[name];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function readWord(fields: Fields, name: string, words: readonly (string | null)[]): string | null {
  const number = readFinite(fields, name);
  if (number === null) return null;
  const word = words[number];
  return word === undefined ? String(number) : word;
}
