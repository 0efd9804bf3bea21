import type { ByteSource } from "@/engine/formats/byte-source";
import { findPcdPoints } from "@/engine/messages/clouds/pcd-file";
import { findPlyPoints } from "@/engine/messages/clouds/ply";
import {
  DamagedPoints,
  requireCompressed,
  requireLines,
  requirePacked,
  UnreadablePoints,
  type PointsPlace,
} from "@/engine/messages/clouds/points-file";

const headBytes = 65_536;
/** Texts are read in pieces of this size. */
const pieceBytes = 1024 * 1024;
const lineFeed = 10;
const space = 32;

/**
 * Throws a `DamagedPoints` for a PCD or PLY file that ends before its points, as drawing it would. Holds a piece of it at
 * a time and reads only texts to their end. What it says nothing of is drawn by other rules, or by nothing here.
 */
export async function requireAllPoints(file: ByteSource, format: "pcd" | "ply", signal?: AbortSignal): Promise<void> {
  const head = await file.read(0, Math.min(headBytes, file.size));
  let place: PointsPlace;
  try {
    place = format === "pcd" ? findPcdPoints(head) : findPlyPoints(head);
  } catch (error) {
    if (error instanceof UnreadablePoints && !(error instanceof DamagedPoints)) return;
    throw error;
  }
  const { encoding, points, end } = place;
  if (encoding === "packed") return requirePacked(place, file.size);
  if (encoding === "text") return requireLines(points, await countLines(file, end, points, signal));
  const sizes = end + 8 > file.size ? null : await file.read(end, 8);
  requireCompressed(place, sizes && new DataView(sizes.buffer, sizes.byteOffset, sizes.length), file.size);
}

/** The lines from a position on that are not blank, at most `enough`. */
async function countLines(file: ByteSource, from: number, enough: number, signal?: AbortSignal): Promise<number> {
  let [lines, isBlank] = [0, true];
  for (let at = from; at < file.size && lines < enough; at += pieceBytes) {
    signal?.throwIfAborted();
    const piece = await file.read(at, Math.min(pieceBytes, file.size - at));
    for (let place = 0; place < piece.length; place++) {
      const byte = piece[place] ?? lineFeed;
      if (byte === lineFeed) isBlank = true;
      else if (byte > space && isBlank) [lines, isBlank] = [lines + 1, false];
    }
  }
  return lines;
}
