import type { Place } from "./place";
import type { TrackLine } from "./track-line";

/** Pixels around what is made to fit. */
const margin = 28;
/** Metres that are shown at least, so that a robot at rest does not fill the map with its noise. */
const leastMetres = 20;
const maxScale = 200;
/** Around the earth: more is never shown. */
const maxMetres = 4e7;

/** The part of a plane that a map shows. */
export class MapWindow {
  width = 0;
  height = 0;
  /** The place in the middle. */
  centre: Place = { x: 0, y: 0 };
  /** Pixels for a metre, or another unit of the plane. */
  scale = 1;
  /** Whether the map moves with the robot when it would leave it. */
  follows = true;

  resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
  }

  /** Shows all of a track. */
  fit({ left, right, bottom, top }: TrackLine["bounds"]): void {
    this.centre = { x: (left + right) / 2, y: (bottom + top) / 2 };
    const wide = Math.max(1, this.width - 2 * margin) / Math.max(leastMetres, right - left);
    const high = Math.max(1, this.height - 2 * margin) / Math.max(leastMetres, top - bottom);
    this.scale = this.clampScale(Math.min(wide, high));
    this.follows = true;
  }

  /** Enlarges by a factor; the place under the pixel keeps it. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const { x, y } = this.toPlace(px, py);
    this.scale = this.clampScale(this.scale * factor);
    this.centre = {
      x: x - (px - this.width / 2) / this.scale,
      y: y + (py - this.height / 2) / this.scale,
    };
  }

  pan(dx: number, dy: number): void {
    this.centre = { x: this.centre.x - dx / this.scale, y: this.centre.y + dy / this.scale };
    this.follows = false;
  }

  /** Moves as far as needed to have a place well inside. */
  keepInside(place: Place): void {
    const [px, py] = this.toPixel(place);
    const room = Math.min(margin, this.width / 4, this.height / 4);
    const dx = Math.min(0, px - room) + Math.max(0, px - (this.width - room));
    const dy = Math.min(0, py - room) + Math.max(0, py - (this.height - room));
    this.centre = { x: this.centre.x + dx / this.scale, y: this.centre.y - dy / this.scale };
  }

  private clampScale(scale: number): number {
    return Math.min(Math.max(scale, Math.max(this.width, this.height) / maxMetres), maxScale);
  }

  toPixel({ x, y }: Place): [px: number, py: number] {
    return [this.width / 2 + (x - this.centre.x) * this.scale, this.height / 2 - (y - this.centre.y) * this.scale];
  }

  toPlace(px: number, py: number): Place {
    return {
      x: this.centre.x + (px - this.width / 2) / this.scale,
      y: this.centre.y - (py - this.height / 2) / this.scale,
    };
  }
}

/** The round distance in metres, 1, 2 or 5 with zeros, that takes at least `pixels` at a scale. */
export function roundDistance(pixels: number, scale: number): number {
  const least = pixels / scale;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}

/** `50 m`, `2 km`, `20 cm`. */
export function formatDistance(metres: number): string {
  if (metres >= 1_000) return `${round(metres / 1_000)} km`;
  return metres >= 1 ? `${round(metres)} m` : `${round(metres * 100)} cm`;
}

const round = (value: number): string => String(Number(value.toPrecision(3)));
