import { v7 } from "uuid";
import { type UidKind, uidPrefixes } from "@/domain/uid";
import { processWide } from "@/server/platform/process-wide";

/** A UUIDv7. Those created by one process sort in the order of creation, also within a millisecond. */
export const uuidv7 = processWide("uuidv7", () => () => v7());

/** A new identifier of a kind. Sorting by it is sorting by creation. */
export const newUid = (kind: UidKind): string => uidPrefixes[kind] + uuidv7();

/** The creation time in milliseconds that an identifier made by `newUid` or `uuidv7` contains. */
export function uidTime(uid: string): number {
  const bare = uid.slice(uid.indexOf("_") + 1);
  return parseInt(bare.slice(0, 8) + bare.slice(9, 13), 16);
}

/** The smallest identifier of a creation time: `uid >= uidFloor(kind, t)` selects those created at or after `t`. */
export function uidFloor(kind: UidKind | null, at: number): string {
  const time = Math.max(0, Math.min(at, 0xffff_ffff_ffff)).toString(16).padStart(12, "0");
  return `${kind ? uidPrefixes[kind] : ""}${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
