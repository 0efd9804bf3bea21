/**
 * The thread that makes a video file of a camera, beside that of the panels: its library is loaded for this alone. Built by
 * scripts/page-workers.mjs, and served with a policy of its own.
 */
import zstdAddress from "@foxglove/wasm-zstd/dist/wasm-zstd.wasm";
import { expose } from "comlink";
import { Mp4OutputFormat, Output } from "mediabunny";
import { openRecordingPack, type RecordingPack } from "@/components/recording/thread/recording-source";
import { loadPortableCodecs } from "@/engine/formats/codecs/portable-codecs";
import { openVideoSink, type VideoSink } from "./video-sink";
import { writeVideo, type VideoRange, type WrittenVideo } from "./video-writing";

/** What a video is made of. */
export interface VideoOrder extends VideoRange {
  uid: string;
  pack: RecordingPack;
}

export type VideoFile = WrittenVideo & { file: Blob };

let cancelling = new AbortController();
let made: VideoSink | null = null;

async function write({ uid, pack, ...range }: VideoOrder, onProgress: (share: number) => void): Promise<VideoFile> {
  const { signal } = cancelling;
  const response = await fetch(zstdAddress, { signal });
  const codecs = await loadPortableCodecs({ zstd: new Uint8Array(await response.arrayBuffer()) });
  const { chunks } = await openRecordingPack(uid, pack, codecs, (address) => fetch(address, { signal }));
  const sink = (made = await openVideoSink());
  const format = new Mp4OutputFormat({ fastStart: sink.isSeekable ? false : "fragmented" });
  const output = new Output({ format, target: sink.target });
  try {
    const written = await writeVideo(output, chunks, range, { signal, onProgress });
    await output.finalize();
    return { ...written, file: await sink.finish() };
  } catch (error) {
    await output.cancel().catch(() => {}); // the first failure counts
    await discard();
    throw error;
  }
}

async function discard(): Promise<void> {
  await made?.discard().catch(() => {}); // it may be gone
  made = null;
}

const thread = {
  /** Makes the file, which lasts until it is discarded. Throws why it cannot be made. */
  make(order: VideoOrder, onProgress: (share: number) => void): Promise<VideoFile> {
    cancelling = new AbortController();
    return write(order, onProgress);
  },
  /** Has `make` end with a failure as soon as it can. */
  cancel: (): void => cancelling.abort(),
  discard,
};
export type VideoFileThread = typeof thread;

expose(thread);
