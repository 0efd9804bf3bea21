import { fromBase64 } from "@/engine/bytes";
import { readFields, readList, readPart, readText, toShortName, type Fields } from "@/engine/messages/reading";

/** A goal of an action: what a robot was asked to do. */
export interface Goal {
  /** The beginning of its identity in ROS 2, all of it in ROS 1. */
  id: string;
  /** What became of it, in words; the number of a constant that is not known. */
  status: string;
  /** What the action says of it; empty in ROS 2. */
  text: string;
}

/** By the constants of the message types, from 0. */
const words: Readonly<Record<string, readonly string[]>> = {
  "action_msgs/GoalStatusArray": ["unknown", "accepted", "executing", "canceling", "succeeded", "canceled", "aborted"],
  "actionlib_msgs/GoalStatusArray": [
    "pending",
    "active",
    "preempted",
    "succeeded",
    "aborted",
    "rejected",
    "preempting",
    "recalling",
    "recalled",
    "lost",
  ],
};

export const isGoalSchema = (schemaName: string): boolean => Object.hasOwn(words, toShortName(schemaName));

/** Goals that are read of one message at most. */
const maxGoals = 50;

/** The goals of a decoded message of a schema for which `isGoalSchema` holds, also from its form as JSON. */
export function readGoals(schemaName: string, value: unknown): Goal[] {
  const names = words[toShortName(schemaName)] ?? [];
  return Array.from(readList(readFields(value), "status_list"))
    .slice(0, maxGoals)
    .map(readFields)
    .map((fields) => ({
      id: readId(fields),
      status: names[Number(fields.status)] ?? String(fields.status),
      text: readText(fields, "text"),
    }));
}

function readId(fields: Fields): string {
  const ros1 = readText(readPart(fields, "goal_id"), "id");
  return ros1 || toHex(readPart(readPart(fields, "goal_info"), "goal_id").uuid).slice(0, 8);
}

/** Bytes in hexadecimal digits: as such, as a list of numbers, or in base64. */
function toHex(bytes: unknown): string {
  if (typeof bytes === "object" && bytes !== null && "base64" in bytes && typeof bytes.base64 === "string")
    return toHex(fromBase64(bytes.base64));
  if (!Array.isArray(bytes) && !(bytes instanceof Uint8Array)) return "";
  return Array.from(bytes, (byte: unknown) => Number(byte).toString(16).padStart(2, "0")).join("");
}
