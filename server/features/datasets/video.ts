import { createFile, MP4BoxBuffer } from "mp4box";
import type { ByteSource } from "@/engine/formats/byte-source";
import { findParameterBox } from "@/engine/video/parameter-box";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";
import { makeThumbnail } from "@/server/features/datasets/image";
import { decodePoster } from "@/server/features/datasets/poster";
import { findFfmpeg } from "@/server/platform/video/ffmpeg";

const pieceBytes = 256 * 1024;
/** Maximum number of bytes read of a video; the index of several hours is smaller. */
const maxBytes = 64 * 1024 * 1024;

const damaged = () => new NotAnItem("The video has no readable index.");

/**
 * Reads a video's size, duration and number of frames from its index, at whatever position of the file, and makes the
 * picture that stands for it of its first keyframe, where there is a `program` that decodes it. Throws a NotAnItem.
 */
export async function examineVideo(
  file: ByteSource,
  mediaType: string,
  signal: AbortSignal,
  program = findFfmpeg(),
): Promise<Examined> {
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
    // Returns the next position to read: after the frames, where they precede the index.
    const next = movie.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(piece).buffer, at));
    at = Math.max(next, at + 1);
  }
  const found = info as Parameters<NonNullable<typeof movie.onReady>>[0] | null;
  const track = found?.videoTracks[0];
  if (failed || !found || !track) throw damaged();
  // A fragmented video has the duration of its samples only.
  const seconds = track.timescale > 0 ? (track.duration || track.samples_duration) / track.timescale : 0;
  const width = track.video?.width ?? Math.round(track.track_width);
  const height = track.video?.height ?? Math.round(track.track_height);
  const key = movie.getTrackSamplesInfo(track.id).find(({ is_sync: isKey }) => isKey);
  const poster =
    program === null || !key
      ? null
      : await decodePoster(
          program,
          file,
          { codec: track.codec, width, height, sample: key, parameters: findParameterBox(key.description) },
          signal,
        );
  return {
    mediaType,
    ...(poster === null ? { thumbnail: null, tint: null } : await makeThumbnail(Buffer.from(poster))),
    sha256: null,
    metadata: {
      format: mediaType === "video/quicktime" ? "mov" : "mp4",
      width,
      height,
      duration_seconds: seconds,
      frame_count: track.nb_samples,
      codec: track.codec,
    },
  };
}
