import { transfer, wrap, type Remote } from "comlink";
import { unlessMissing } from "@/components/kit/thread-loading";
import type { MaskCoordinates } from "@/domain/masks/mask-figure";
import type { Area } from "@/domain/masks/run-lengths";
import workers from "@/public/engine/workers.json";
import { encodeMask } from "./encode-mask";
import type { MaskThread } from "./mask.worker";

interface Opened {
  worker: Worker;
  thread: Remote<MaskThread>;
}

let opened: Opened | null = null;

function open(): Opened {
  const worker = new Worker(workers.mask, { name: "mask", type: "module" });
  return { worker, thread: wrap<MaskThread>(worker) };
}

/**
 * Writes pixels as a mask on a thread of its own, in the order of the calls. Where that thread cannot be had, because the server
 * was updated, the page itself does it: a stroke is never lost.
 */
export async function encodeBeside(
  pixels: Uint8Array<ArrayBuffer>,
  area: Area,
  picture: { width: number; height: number },
): Promise<MaskCoordinates | null> {
  if (typeof Worker === "undefined") return encodeMask(pixels, area, picture);
  opened ??= open();
  const { worker, thread } = opened;
  const sent = pixels.slice();
  try {
    return await unlessMissing("mask", worker, thread.encode(transfer(sent, [sent.buffer]), area, picture));
  } catch {
    worker.terminate();
    if (opened?.worker === worker) opened = null;
    return encodeMask(pixels, area, picture);
  }
}
