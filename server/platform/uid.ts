import { randomFillSync } from "node:crypto";
import { uidPrefixes, type UidKind } from "@/domain/uid";
import { processWide } from "@/server/platform/process-wide";

const state = processWide("uid", () => ({ lastMs: 0, sequence: 0, pool: Buffer.alloc(4096), used: 4096 }));

function random(bytes: number): Buffer {
  if (state.used + bytes > state.pool.length) {
    randomFillSync(state.pool);
    state.used = 0;
  }
  const slice = state.pool.subarray(state.used, state.used + bytes);
  state.used += bytes;
  return slice;
}

function format(ms: number, sequence: number, tail: Buffer): string {
  const time = ms.toString(16).padStart(12, "0");
  const counter = (0x7000 | sequence).toString(16);
  const hex = tail.toString("hex");
  const variant = ((parseInt(hex[0]!, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${counter}-${variant}${hex.slice(1, 4)}-${hex.slice(4, 16)}`;
}

/**
 * A UUIDv7; with a 12-bit counter, so that ids made by one process in one millisecond sort in the order they were made.
 */
export function uuidv7(at: number = Date.now()): string {
  if (at > state.lastMs) {
    state.lastMs = at;
    state.sequence = random(2).readUInt16BE() & 0x3ff;
  } else if (at === state.lastMs && ++state.sequence > 0xfff) {
    state.lastMs = ++at;
    state.sequence = 0;
  } else if (at < state.lastMs && state.lastMs - at < 1000) {
    at = state.lastMs;
    if (++state.sequence > 0xfff) [state.lastMs, state.sequence, at] = [state.lastMs + 1, 0, at + 1];
  } else if (at < state.lastMs) {
    // Deliberately back-dated (imports, demo data): no ordering against the present is needed.
    return format(at, random(2).readUInt16BE() & 0xfff, random(8));
  }
  return format(at, state.sequence, random(8));
}

/** A new identifier of a kind, made at `at` (milliseconds since 1970). Sorting by it is sorting by creation. */
export const newUid = (kind: UidKind, at?: number): string => uidPrefixes[kind] + uuidv7(at);

/** The creation time, in milliseconds, that an identifier made by `newUid` or `uuidv7` carries. */
export function uidTime(uid: string): number {
  const bare = uid.slice(uid.indexOf("_") + 1);
  return parseInt(bare.slice(0, 8) + bare.slice(9, 13), 16);
}

/** The least identifier of that creation time: `uid >= uidFloor(kind, t)` selects what was created at or after `t`. */
export function uidFloor(kind: UidKind | null, at: number): string {
  const time = Math.max(0, Math.min(at, 0xffff_ffff_ffff)).toString(16).padStart(12, "0");
  return `${kind ? uidPrefixes[kind] : ""}${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
