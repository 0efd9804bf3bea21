import { add, type Vector } from "@/engine/messages/pose";

const degrees = Math.PI / 180;
/** The angle that the camera sees from top to bottom, in degrees. */
export const fieldOfView = 50;
const [minDistance, maxDistance] = [0.05, 20_000];

/** A camera that looks at a point and turns around it; from above it keeps north up. In metres, with z up. */
export class OrbitCamera {
  target: Vector = [0, 0, 0];
  distance = 15;
  /** Radians from the x axis, to where the camera stands. */
  azimuth = -135 * degrees;
  /** Radians above the plane. */
  elevation = 35 * degrees;
  isTop = false;

  get position(): Vector {
    if (this.isTop) return add(this.target, [0, 0, this.distance]);
    const flat = Math.cos(this.elevation) * this.distance;
    const { azimuth, elevation, distance } = this;
    return add(this.target, [Math.cos(azimuth) * flat, Math.sin(azimuth) * flat, Math.sin(elevation) * distance]);
  }

  /** What is up in the picture. */
  get up(): Vector {
    return this.isTop ? [0, 1, 0] : [0, 0, 1];
  }

  /** Turns by pixels of a drag. */
  turn(dx: number, dy: number): void {
    if (this.isTop) return;
    this.azimuth -= dx * 0.4 * degrees;
    this.elevation = Math.max(-89 * degrees, Math.min(89 * degrees, this.elevation + dy * 0.4 * degrees));
  }

  /** Looks from a side, in degrees. */
  look(azimuth: number, elevation: number): void {
    this.azimuth = azimuth * degrees;
    this.elevation = elevation * degrees;
  }

  /** Moves along the plane of the picture by pixels of a drag, so that the point under the pointer stays there. */
  pan(dx: number, dy: number, height: number): void {
    const scale = this.getHeight() / Math.max(1, height);
    if (this.isTop) {
      this.target = add(this.target, [-dx * scale, dy * scale, 0]);
      return;
    }
    const { azimuth, elevation } = this;
    const right: Vector = [-Math.sin(azimuth), Math.cos(azimuth), 0];
    const lift = Math.sin(elevation);
    const up: Vector = [-Math.cos(azimuth) * lift, -Math.sin(azimuth) * lift, Math.cos(elevation)];
    const along = (vector: Vector, factor: number): Vector => [
      vector[0] * factor,
      vector[1] * factor,
      vector[2] * factor,
    ];
    this.target = add(add(this.target, along(right, -dx * scale)), along(up, dy * scale));
  }

  zoom(factor: number): void {
    this.distance = Math.max(minDistance, Math.min(maxDistance, this.distance / factor));
  }

  /** Metres from the lower to the upper edge of the picture, where it looks at. */
  getHeight(): number {
    return 2 * this.distance * Math.tan((fieldOfView / 2) * degrees);
  }

  /** Looks at a sphere as a whole. */
  fit(middle: Vector, radius: number, aspect: number): void {
    this.target = middle;
    const narrow = Math.min(1, aspect);
    this.distance = Math.max(minDistance * 4, (radius * 1.15) / (Math.sin((fieldOfView / 2) * degrees) * narrow));
  }
}
