/**
 * The thread that decodes a large picture, once, and cuts what is seen of it, so that the page holds no more than that.
 * Built by scripts/page-workers.mjs.
 */
import { expose, transfer } from "comlink";

/** Pixels of the longer side of the picture as a whole. */
const overviewPixels = 2_048;

let picture: ImageBitmap | null = null;

const thread = {
  /** Reads and decodes a picture. Resolves to its size and a small one of all of it; throws when it cannot be decoded. */
  async open(url: string) {
    const response = await fetch(url, { credentials: "same-origin" });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    // Turned as its camera was held.
    picture = await createImageBitmap(await response.blob(), { imageOrientation: "from-image" });
    const { width, height } = picture;
    const factor = Math.min(1, overviewPixels / Math.max(width, height));
    const overview = await createImageBitmap(picture, {
      resizeWidth: Math.max(1, Math.round(width * factor)),
      resizeHeight: Math.max(1, Math.round(height * factor)),
      resizeQuality: "medium",
    });
    return transfer({ width, height, overview }, [overview]);
  },
  /** A part of the picture, in its own pixels. */
  async cut(x: number, y: number, width: number, height: number): Promise<ImageBitmap | null> {
    if (!picture) return null;
    const part = await createImageBitmap(picture, x, y, width, height);
    return transfer(part, [part]);
  },
  close(): void {
    picture?.close();
    picture = null;
  },
};
export type PictureThread = typeof thread;

expose(thread);
