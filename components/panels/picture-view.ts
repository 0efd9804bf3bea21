import { getLayout, type Picture, type RawPicture } from "@/engine/messages/picture";
import { findRange, writePixels } from "@/engine/messages/raw-pixels";

/** Draws pictures into a canvas that this thread owns, in the size of the picture. */
export class PictureView {
  private readonly context: OffscreenCanvasRenderingContext2D;
  private pixels: ImageData | null = null;

  constructor(private readonly canvas: OffscreenCanvas) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser cannot draw pictures here.");
    this.context = context;
  }

  get size(): { width: number; height: number } {
    return { width: this.canvas.width, height: this.canvas.height };
  }

  clear(): void {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Draws a picture. Throws when a compressed one is damaged. */
  async draw(picture: Picture): Promise<void> {
    if (picture.kind === "raw") return this.drawRaw(picture);
    // A copy of its own bytes only: the message is a view of a whole chunk.
    const blob = new Blob([new Uint8Array(picture.data)], { type: picture.mediaType });
    const bitmap = await createImageBitmap(blob, { imageOrientation: "none" });
    try {
      this.resize(bitmap.width, bitmap.height);
      this.context.drawImage(bitmap, 0, 0);
    } finally {
      bitmap.close();
    }
  }

  private drawRaw(picture: RawPicture): void {
    const { width, height, encoding } = picture;
    this.resize(width, height);
    if (this.pixels?.width !== width || this.pixels.height !== height) this.pixels = new ImageData(width, height);
    const into = new Uint32Array(this.pixels.data.buffer);
    const isDepth = getLayout(encoding).kind === "value" && encoding !== "mono16";
    writePixels(picture, into, isDepth ? "turbo" : "grey", findRange(picture));
    this.context.putImageData(this.pixels, 0, 0);
  }

  private resize(width: number, height: number): void {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }
}
