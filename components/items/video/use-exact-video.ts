"use client";

import { transfer, wrap } from "comlink";
import { useEffect, useState, type RefObject } from "react";
import { unlessMissing } from "@/components/kit/thread-loading";
import workers from "@/public/engine/workers.json";
import type { VideoThread } from "./item-video.worker";

export interface ExactVideo {
  width: number;
  height: number;
  /** When each picture is shown, in seconds. */
  times: Float64Array;
  /** Draws a picture; throws why it cannot. */
  show: (frame: number) => Promise<void>;
}

/** A video that is decoded exactly into a canvas inside `holder`; `failure` says why it cannot be. */
export function useExactVideo(holder: RefObject<HTMLElement | null>, url: string, bytes: number) {
  const [video, setVideo] = useState<ExactVideo | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    let isOver = false;
    const canvas = document.createElement("canvas");
    canvas.className = "block size-full";
    element.append(canvas);
    const worker = new Worker(workers["item-video"], { name: "item-video", type: "module" });
    const thread = wrap<VideoThread>(worker);
    const offscreen = canvas.transferControlToOffscreen();
    unlessMissing("item-video", worker, thread.open(url, bytes, transfer(offscreen, [offscreen]))).then(
      (opened) => !isOver && setVideo({ ...opened, show: (frame) => thread.show(frame) }),
      (error: unknown) => !isOver && setFailure(error instanceof Error ? error.message : "The video cannot be read."),
    );
    return () => {
      isOver = true;
      setVideo(null);
      setFailure(null);
      worker.terminate();
      canvas.remove();
    };
  }, [holder, url, bytes, round]);
  const retry = () => {
    setFailure(null);
    setRound(round + 1);
  };
  return { video, failure, retry };
}
