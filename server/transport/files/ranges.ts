import type { ByteRange } from "@/server/platform/storage/store";

/** `Content-Range` of a PUT: which bytes of how many it contains, or a `probe` for the number of received bytes. */
export type ContentRange =
  | { kind: "part"; start: number; end: number; total: number }
  | { kind: "probe"; total: number };

/** Parses a `Content-Range` request header; null when it is malformed. `end` is exclusive. */
export function parseContentRange(header: string): ContentRange | null {
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(header.trim());
  if (!match) return null;
  const total = Number(match[3]);
  if (match[1] === undefined) return { kind: "probe", total };
  const [start, last] = [Number(match[1]), Number(match[2])];
  return last < start || last >= total ? null : { kind: "part", start, end: last + 1, total };
}

/**
 * Parses a `Range` header. `null`: the complete object (no header, several ranges, another unit); `unsatisfiable`: the
 * range is beyond its end.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  if (match[1] === "") {
    const length = Math.min(Number(match[2]), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes };
  }
  const start = Number(match[1]);
  const last = match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]);
  if (last < start) return null;
  return start >= sizeBytes ? "unsatisfiable" : { start, end: Math.min(last + 1, sizeBytes) };
}
