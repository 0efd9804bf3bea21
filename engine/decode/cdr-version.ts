import { RecordingError } from "@/engine/formats/recording-error";

/** By the second byte of a message without its last bit, the byte order; those from 0x10 on are of older writers. */
const versions: ReadonlyMap<number, "first" | "second" | "delimited"> = new Map([
  [0x00, "first"],
  [0x06, "second"],
  [0x08, "delimited"],
  [0x10, "second"],
  [0x14, "delimited"],
]);

/**
 * The version of CDR that the second byte of a message names; `mutable`: whether mutable types are taken too, which are of
 * the second. Throws a RecordingError for others.
 */
export function readCdrVersion(byte: number, mutable: boolean): "first" | "second" | "delimited" {
  const kind = byte & ~1;
  const version = versions.get(kind) ?? (mutable && (kind === 0x0a || kind === 0x12) ? "second" : undefined);
  if (version === undefined) throw new RecordingError("A message uses a CDR encoding that cannot be read.");
  return version;
}
