import { createFile, MP4BoxBuffer } from "mp4box";
import { findParameterBox } from "@/engine/video/parameter-box";

/** Reads bytes of a file; fewer at its end. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array<ArrayBuffer>>;

/** One encoded picture, in the order of decoding. */
interface VideoSample {
  offset: number;
  size: number;
  isKey: boolean;
  /** The number of its picture, in the order of showing. */
  frame: number;
}

/** What a video has, without its pictures. */
export interface VideoIndex {
  width: number;
  height: number;
  config: VideoDecoderConfig;
  samples: VideoSample[];
  /** When each picture is shown, in seconds from the first. */
  times: Float64Array;
}

const pieceBytes = 256 * 1024;
/** A larger index is refused, as on the server. */
const maxIndexBytes = 64 * 1024 * 1024;

/** Reads the index of an MP4 or MOV file, wherever in it that is. Throws an Error whose message is for people. */
export async function readVideoIndex(read: ReadBytes, fileBytes: number): Promise<VideoIndex> {
  const movie = createFile(false);
  const state = { failed: false, ready: false };
  movie.onError = () => (state.failed = true);
  movie.onReady = () => (state.ready = true);
  let total = 0;
  // Of a video in fragments each one has an index of its own.
  const isComplete = () => state.ready && !movie.getInfo().isFragmented;
  for (let at = 0; at < fileBytes && !state.failed && !isComplete();) {
    if (total >= maxIndexBytes) break;
    const piece = await read(at, Math.min(pieceBytes, fileBytes - at));
    if (piece.length === 0) break;
    total += piece.length;
    const next = movie.appendBuffer(MP4BoxBuffer.fromArrayBuffer(piece.slice().buffer, at));
    // The next position to read: after the pictures, where they precede the index.
    at = Math.max(next, at + 1);
  }
  if (!state.ready) throw new Error("The video has no readable index.");
  const info = movie.getInfo();
  const track = info.videoTracks[0];
  if (!track) throw new Error("The file has no video.");
  const found = movie.getTrackSamplesInfo(track.id);
  if (found.length === 0) throw new Error("The video has no pictures.");
  // Numbered as they are shown, which may differ from the order in which they are decoded.
  const shown = found.map((sample, at) => ({ at, cts: sample.cts })).sort((a, b) => a.cts - b.cts || a.at - b.at);
  const frames = new Uint32Array(found.length);
  const times = new Float64Array(found.length);
  const first = shown[0]?.cts ?? 0;
  for (const [frame, { at, cts }] of shown.entries()) {
    frames[at] = frame;
    times[frame] = (cts - first) / (found[at]?.timescale ?? 1);
  }
  return {
    width: track.video?.width ?? Math.round(track.track_width),
    height: track.video?.height ?? Math.round(track.track_height),
    config: { codec: track.codec, ...(await readDescription(read, found[0]?.description)) },
    samples: found.map(({ offset, size, is_sync: isKey }, at) => ({ offset, size, isKey, frame: frames[at] ?? 0 })),
    times,
  };
}

/** The parameters of the stream, which a decoder of H.264 and H.265 needs beside the pictures. */
async function readDescription(read: ReadBytes, entry: unknown): Promise<{ description?: Uint8Array<ArrayBuffer> }> {
  const box = findParameterBox(entry);
  if (!box || box.type === "vpcC") return {};
  return { description: await read(box.offset, box.size) };
}
