import type { ColourScale } from "@/engine/messages/colour-scale";
import type { Calibration } from "@/engine/messages/pictures/camera-model";
import { hideExif } from "@/engine/messages/pictures/exif";
import { unpackPicture } from "@/engine/messages/pictures/packed-picture";
import type { Picture, RawPicture } from "@/engine/messages/pictures/picture";
import { describeValue, findUnit, isMeasured } from "@/engine/messages/pictures/pixel-value";
import { findRange, writePixels, type ValueRange } from "@/engine/messages/pictures/raw-pixels";
import { createRectifyMap, rectifyPixels, type RectifyMap } from "@/engine/messages/pictures/rectify";
import { UnreadableMessage } from "@/engine/messages/reading";

/** How pictures are drawn. */
export interface PictureOptions {
  scale: ColourScale;
  /** Null: that of most values of each picture. */
  range: ValueRange | null;
  /** Removes the distortion of the lens; a text says why that cannot be done. */
  calibration: Calibration | string | null;
}

/** What was drawn. */
export interface DrawnPicture {
  width: number;
  height: number;
  /** The values that the scale of colours spans; null for a picture of colours. */
  values: (ValueRange & { unit: string }) | null;
  /** What could not be done with it. */
  note: string | null;
}

/** A range that moved by no more than this part of itself stays, so that colours do not flicker. */
const rangeTolerance = 0.1;

/** Draws pictures into a canvas that this thread owns, in the size of the picture. */
export class PictureView {
  private readonly context: OffscreenCanvasRenderingContext2D;
  private pixels: ImageData | null = null;
  private options: PictureOptions = { scale: "turbo", range: null, calibration: null };
  /** The picture that is drawn, while its values can be read. */
  private raw: RawPicture | null = null;
  private range: ValueRange | null = null;
  private map: RectifyMap | null = null;
  private note: string | null = null;

  constructor(private readonly canvas: OffscreenCanvas) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser cannot draw pictures here.");
    this.context = context;
  }

  get size(): DrawnPicture {
    const { raw, range, note } = this;
    const values = raw && range && isMeasured(raw) ? { ...range, unit: findUnit(raw.encoding) } : null;
    return { width: this.canvas.width, height: this.canvas.height, values, note };
  }

  /** How pictures are drawn from the next one on. */
  configure(options: PictureOptions): void {
    if (options.calibration !== this.options.calibration) this.map = null;
    this.options = options;
    this.range = null;
  }

  clear(): void {
    this.raw = null;
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Draws a picture. Throws when a compressed one is damaged. */
  async draw(picture: Picture): Promise<void> {
    if (picture.kind === "raw") return this.drawRaw(picture);
    if (picture.kind === "packed") return this.drawRaw(await unpackPicture(picture));
    // A copy of its own bytes only: the message is a view of a whole chunk.
    const blob = new Blob([hideExif(picture)], { type: picture.mediaType });
    const bitmap = await createImageBitmap(blob);
    try {
      this.drawBitmap(bitmap, bitmap.width, bitmap.height);
    } finally {
      bitmap.close();
    }
  }

  /** What is drawn at a pixel: its value, or its colour; null outside of the picture. */
  describePixel(x: number, y: number): string | null {
    const { width, height } = this.canvas;
    if (x < 0 || y < 0 || x >= width || y >= height) return null;
    const at = 2 * (y * width + x);
    const [fromX, fromY] = this.map ? [Math.round(this.map[at]!), Math.round(this.map[at + 1]!)] : [x, y];
    const value = this.raw && describeValue(this.raw, fromX, fromY);
    if (value !== null) return value;
    const [red, green, blue, alpha] = this.context.getImageData(x, y, 1, 1).data;
    return alpha === 0 ? "none" : `${red} ${green} ${blue}`;
  }

  /** The picture as a PNG file. */
  save(): Promise<Blob> {
    return this.canvas.convertToBlob({ type: "image/png" });
  }

  /** Draws what a decoder gave; its owner closes it. */
  drawBitmap(bitmap: ImageBitmap | VideoFrame, width: number, height: number): void {
    this.resize(width, height);
    this.context.drawImage(bitmap, 0, 0, width, height);
    this.raw = null;
    this.rectify();
  }

  private drawRaw(picture: RawPicture): void {
    const { width, height, encoding } = picture;
    this.resize(width, height);
    if (this.pixels?.width !== width || this.pixels.height !== height) this.pixels = new ImageData(width, height);
    const into = new Uint32Array(this.pixels.data.buffer);
    this.raw = picture;
    this.range = this.options.range ?? this.chooseRange(findRange(picture));
    const isDepth = isMeasured(picture) && encoding !== "mono16";
    writePixels(picture, into, isDepth ? this.options.scale : "grey", this.range);
    this.context.putImageData(this.pixels, 0, 0);
    this.rectify();
  }

  private chooseRange(found: ValueRange): ValueRange {
    const { range } = this;
    if (range === null) return found;
    const moved = Math.max(Math.abs(found.min - range.min), Math.abs(found.max - range.max));
    return moved > rangeTolerance * (range.max - range.min) ? found : range;
  }

  /** Removes the distortion of the lens from what is drawn; where that cannot be done, it stays and `note` says why. */
  private rectify(): void {
    const { calibration } = this.options;
    this.note = typeof calibration === "string" ? calibration : null;
    if (calibration === null || typeof calibration === "string") return;
    const { width, height } = this.canvas;
    try {
      if (this.map?.length !== 2 * width * height) this.map = createRectifyMap(calibration, width, height);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      this.map = null;
      this.note = error.message;
      return;
    }
    const drawn = this.context.getImageData(0, 0, width, height);
    const rectified = new ImageData(width, height);
    rectifyPixels(this.map, drawn.data, rectified.data, width, height);
    this.context.putImageData(rectified, 0, 0);
  }

  private resize(width: number, height: number): void {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }
}
