/**
 * The thread that decodes a video exactly: it reads the index of the file, then the bytes of the pictures that are wanted,
 * and draws them. Built by scripts/page-workers.mjs.
 */
import { expose } from "comlink";
import { FrameDecoder } from "./frame-decoder";
import { readVideoIndex, type ReadBytes } from "./mp4-index";

let decoder: FrameDecoder | null = null;
let canvas: OffscreenCanvas | null = null;
let wanted = -1;
let drawing: Promise<void> = Promise.resolve();

/** Reads parts of a file that the server has. */
const reader =
  (url: string): ReadBytes =>
  async (offset, length) => {
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    const response = await fetch(url, { headers, credentials: "same-origin" });
    if (response.status !== 206 && response.status !== 200) throw new Error(`The server answered ${response.status}.`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return response.status === 200 ? bytes.slice(offset, offset + length) : bytes;
  };

async function draw(frame: number): Promise<void> {
  const picture = await decoder?.get(frame, () => wanted === frame);
  const context = canvas?.getContext("2d");
  if (!picture || !context || !canvas || wanted !== frame) return;
  if (canvas.width !== picture.width || canvas.height !== picture.height)
    [canvas.width, canvas.height] = [picture.width, picture.height];
  context.drawImage(picture, 0, 0);
}

const thread = {
  /** Reads the index of a video. Throws when this browser cannot decode it, with the reason. */
  async open(url: string, bytes: number, target: OffscreenCanvas) {
    if (typeof VideoDecoder === "undefined")
      throw new Error(
        isSecureContext
          ? "This browser does not decode video for pages."
          : "Browsers decode video for pages only where they are served by HTTPS.",
      );
    canvas = target;
    const read = reader(url);
    const index = await readVideoIndex(read, bytes);
    const { supported } = await VideoDecoder.isConfigSupported(index.config);
    if (supported !== true) throw new Error(`This browser does not decode ${index.config.codec}.`);
    decoder = new FrameDecoder(index, read, bytes);
    const { width, height, times } = index;
    return { width, height, times };
  },
  /** Draws a picture; resolves once it, or a later wanted one, is drawn. Throws why it cannot. */
  show(frame: number): Promise<void> {
    wanted = frame;
    // One after the other; those that are no longer wanted end at once.
    drawing = drawing.then(
      () => draw(frame),
      () => draw(frame),
    );
    return drawing;
  },
  close(): void {
    wanted = -1;
    decoder?.close();
    decoder = null;
  },
};
export type VideoThread = typeof thread;

expose(thread);
