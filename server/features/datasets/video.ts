import { createFile, MP4BoxBuffer } from "mp4box";
import type { ByteSource } from "@/engine/formats/byte-source";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";

const pieceBytes = 256 * 1024;
/** Bytes read of a video at most: the index of hours of it is smaller. */
const maxBytes = 64 * 1024 * 1024;

const damaged = () => new NotAnItem("The video has no readable index.");

/**
 * A video's size, length and frames, from its index, wherever in the file that lies; its pictures are not read. Throws
 * a NotAnItem.
 */
export async function examineVideo(file: ByteSource, mediaType: string): Promise<Examined> {
  const movie = createFile(false);
  let failed = false;
  let info: Parameters<NonNullable<typeof movie.onReady>>[0] | null = null;
  movie.onError = () => (failed = true);
  movie.onReady = (found) => (info = found);
  let read = 0;
  for (let at = 0; at < file.size && info === null && !failed;) {
    if (read >= maxBytes) throw damaged();
    const piece = await file.read(at, Math.min(pieceBytes, file.size - at));
    read += piece.length;
    // It answers with where to go on: past the pictures, when they come before the index.
    const next = movie.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(piece).buffer, at));
    at = Math.max(next, at + 1);
  }
  const found = info as Parameters<NonNullable<typeof movie.onReady>>[0] | null;
  const track = found?.videoTracks[0];
  if (failed || !found || !track) throw damaged();
  // A video in fragments tells of its samples only.
  const seconds = track.timescale > 0 ? (track.duration || track.samples_duration) / track.timescale : 0;
  return {
    mediaType,
    thumbnail: null,
    metadata: {
      format: mediaType === "video/quicktime" ? "mov" : "mp4",
      width: track.video?.width ?? Math.round(track.track_width),
      height: track.video?.height ?? Math.round(track.track_height),
      duration_seconds: seconds,
      frame_count: track.nb_samples,
      codec: track.codec,
    },
  };
}
