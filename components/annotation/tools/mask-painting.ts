import { joinBounds, measureDistance, toBounds, type Bounds, type Point } from "@/domain/annotations/geometry";
import { fillRings } from "@/domain/masks/fill";
import { readMask, type MaskCoordinates } from "@/domain/masks/mask-figure";
import { decodeRuns, type Area } from "@/domain/masks/run-lengths";
import { encodeBeside } from "./mask-encoder";
import type { PaintedMask } from "./tool";

/** Pixels by which the area grows that is painted in. */
const growth = 256;
const opacity = 0.45;

interface Size {
  width: number;
  height: number;
}

const nowhere: Area = { x: 0, y: 0, width: 0, height: 0 };

/** A colour as pixels of pictures have it, opaque. */
function toPixel(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0] ?? 0;
}

/** The pixels of one mask while it is painted. They are held of the mask's own bounds, which grow in steps. */
export class MaskPainting implements PaintedMask {
  /** What is stored of it; null before its first stroke is. */
  saved: MaskCoordinates | null = null;
  /** Strokes that are being written. */
  waiting = 0;
  /** Whether the next stroke is of another mask. */
  isLeft = false;
  private area = nowhere;
  private pixels = new Uint8Array(0);
  private canvas: OffscreenCanvas | null = null;
  private shownAs = "";
  /** What is not shown as it is now; null: nothing. */
  private dirty: Bounds | null = null;

  constructor(
    readonly id: string,
    readonly labelId: string,
    private readonly picture: Size,
  ) {}

  /** Goes on with a mask. */
  static from(id: string, labelId: string, coordinates: MaskCoordinates, picture: Size): MaskPainting {
    const painting = new MaskPainting(id, labelId, picture);
    painting.saved = coordinates;
    const figure = readMask(coordinates);
    if (!figure) return painting;
    painting.reach(toBounds(figure));
    const before = decodeRuns(figure.runs, figure.width, figure.height);
    painting.copyRows(before, figure);
    painting.note(toBounds(figure));
    return painting;
  }

  get bounds(): Bounds | null {
    return this.area.width === 0 ? null : toBounds(this.area);
  }

  private copyRows(from: Uint8Array, { x, y, width, height }: Area): void {
    const { area, pixels } = this;
    for (let row = 0; row < height; row++)
      pixels.set(from.subarray(row * width, (row + 1) * width), (y + row - area.y) * area.width + x - area.x);
  }

  /** Makes room for what is painted, as far as the picture goes. */
  private reach({ left, top, right, bottom }: Bounds): void {
    const { area, picture, pixels, canvas } = this;
    const wanted = {
      left: Math.max(0, Math.floor(left / growth) * growth),
      top: Math.max(0, Math.floor(top / growth) * growth),
      right: Math.min(picture.width, Math.ceil(right / growth) * growth),
      bottom: Math.min(picture.height, Math.ceil(bottom / growth) * growth),
    };
    if (wanted.right <= wanted.left || wanted.bottom <= wanted.top) return;
    const all = area.width === 0 ? wanted : joinBounds(toBounds(area), wanted);
    const next = { x: all.left, y: all.top, width: all.right - all.left, height: all.bottom - all.top };
    if (next.width === area.width && next.height === area.height) return;
    this.area = next;
    this.pixels = new Uint8Array(next.width * next.height);
    this.copyRows(pixels, area);
    if (!canvas) return;
    this.canvas = new OffscreenCanvas(next.width, next.height);
    this.canvas.getContext("2d")?.drawImage(canvas, area.x - next.x, area.y - next.y);
  }

  private note(bounds: Bounds): void {
    this.dirty = this.dirty ? joinBounds(this.dirty, bounds) : bounds;
  }

  /** Paints the part of a row, or erases it. */
  private setRow(row: number, from: number, to: number, value: 0 | 1): void {
    const { x, y, width, height } = this.area;
    const [start, end] = [Math.max(from, x), Math.min(to, x + width)];
    if (row < y || row >= y + height || end <= start) return;
    const at = (row - y) * width - x;
    this.pixels.fill(value, at + start, at + end);
  }

  /** Paints a circle, or erases one: the pixels whose middle is in it, and at least the one at its own. */
  stamp([x, y]: Point, radius: number, value: 0 | 1): void {
    const around = {
      left: Math.floor(x - radius),
      top: Math.floor(y - radius),
      right: Math.floor(x + radius) + 1,
      bottom: Math.floor(y + radius) + 1,
    };
    if (value === 1) this.reach(around);
    for (let row = around.top; row < around.bottom; row++) {
      const share = radius * radius - (row + 0.5 - y) ** 2;
      if (share < 0) continue;
      const half = Math.sqrt(share);
      this.setRow(row, Math.ceil(x - half - 0.5), Math.floor(x + half - 0.5) + 1, value);
    }
    this.setRow(Math.floor(y), Math.floor(x), Math.floor(x) + 1, value);
    this.note(around);
  }

  /** Paints a line as wide as a circle, or erases it. */
  paintLine(from: Point, to: Point, radius: number, value: 0 | 1): void {
    const steps = Math.max(1, Math.ceil(measureDistance(from, to) / Math.max(1, radius / 3)));
    for (let step = 1; step <= steps; step++) {
      const share = step / steps;
      this.stamp([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])], radius, value);
    }
  }

  /** Paints what a line surrounds, or erases it. */
  fill(ring: readonly Point[], value: 0 | 1): void {
    const segments = fillRings([ring], this.picture);
    const [first] = segments;
    const last = segments.at(-1);
    if (!first || !last) return;
    const around = { left: first[0], top: first[1], right: last[0] + 1, bottom: first[2] };
    for (const [, from, to] of segments) {
      around.top = Math.min(around.top, from);
      around.bottom = Math.max(around.bottom, to);
    }
    if (value === 1) this.reach(around);
    const { x, y, width, height } = this.area;
    for (const [column, from, to] of segments) {
      if (column < x || column >= x + width) continue;
      const end = Math.min(to, y + height);
      for (let row = Math.max(from, y); row < end; row++) this.pixels[(row - y) * width + column - x] = value;
    }
    this.note(around);
  }

  /** Its pixels as a mask, written by another thread; null where none is left. */
  encode(): Promise<MaskCoordinates | null> {
    if (this.area.width === 0) return Promise.resolve(null);
    return encodeBeside(this.pixels, this.area, this.picture);
  }

  /** Writes what changed since the last time into its own picture. */
  private refresh(colour: string): OffscreenCanvas | null {
    const { area } = this;
    if (area.width === 0) return null;
    if (!this.canvas || this.shownAs !== colour) {
      this.canvas ??= new OffscreenCanvas(area.width, area.height);
      this.shownAs = colour;
      this.dirty = toBounds(area);
    }
    if (!this.dirty) return this.canvas;
    const left = Math.max(area.x, this.dirty.left);
    const top = Math.max(area.y, this.dirty.top);
    const width = Math.min(area.x + area.width, this.dirty.right) - left;
    const height = Math.min(area.y + area.height, this.dirty.bottom) - top;
    this.dirty = null;
    if (width <= 0 || height <= 0) return this.canvas;
    const part = new ImageData(width, height);
    const colours = new Uint32Array(part.data.buffer);
    const pixel = toPixel(colour);
    for (let row = 0; row < height; row++) {
      const from = (top - area.y + row) * area.width + left - area.x;
      for (let column = 0; column < width; column++)
        if (this.pixels[from + column] === 1) colours[row * width + column] = pixel;
    }
    this.canvas.getContext("2d")?.putImageData(part, left - area.x, top - area.y);
    return this.canvas;
  }

  draw(context: CanvasRenderingContext2D, colour: string): void {
    const canvas = this.refresh(colour);
    if (!canvas) return;
    context.imageSmoothingEnabled = false;
    context.globalAlpha = opacity;
    context.drawImage(canvas, this.area.x, this.area.y);
    context.globalAlpha = 1;
  }
}
