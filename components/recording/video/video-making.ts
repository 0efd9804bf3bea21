"use client";

import { proxy, wrap } from "comlink";
import { unlessMissing } from "@/components/kit/thread-loading";
import workers from "@/public/engine/workers.json";
import type { VideoFile, VideoFileThread, VideoOrder } from "./video-file.worker";

export interface VideoWatch {
  /** Ends the work. */
  signal: AbortSignal;
  /** Called with how much of the range is in the file, from 0 to 1. */
  onProgress: (share: number) => void;
}

export type MadeVideo = VideoFile & {
  /** Lets go of the file; what was saved of it stays. */
  release: () => void;
};

/** Makes a video file in a thread, which is loaded for it. Throws why it cannot be made. */
export async function makeVideo(order: VideoOrder, { signal, onProgress }: VideoWatch): Promise<MadeVideo> {
  const worker = new Worker(workers["video-file"], { name: "video file", type: "module" });
  const thread = wrap<VideoFileThread>(worker);
  const cancel = () => void thread.cancel();
  signal.addEventListener("abort", cancel);
  try {
    signal.throwIfAborted();
    const made = await unlessMissing("video-file", worker, thread.make(order, proxy(onProgress)));
    return { ...made, release: () => void thread.discard().finally(() => worker.terminate()) };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
