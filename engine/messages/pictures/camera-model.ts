import type { Vector } from "@/engine/messages/pose";
import { UnreadableMessage } from "@/engine/messages/reading";

/** A pinhole, in pixels; 0 is the middle of the first pixel. */
export interface Pinhole {
  fx: number;
  fy: number;
  cx: number;
  cy: number;
}

/** How a camera maps directions to pixels. */
export interface Calibration {
  width: number;
  height: number;
  model: "polynomial" | "angle";
  distortion: readonly number[];
  camera: Pinhole;
  /** Of the rectified picture. */
  rectified: Pinhole;
  /** From the camera's frame to that of the rectified picture, by rows. */
  rotation: readonly number[];
}

/** Throws UnreadableMessage for a picture of another size than the calibration is for. */
export function checkCalibratedSize(calibration: Calibration, width: number, height: number): void {
  if (calibration.width !== width || calibration.height !== height)
    throw new UnreadableMessage(
      `The camera is calibrated for ${calibration.width}×${calibration.height}, the picture is ${width}×${height}.`,
    );
}

/** Steps in which the end of a lens model is looked for, in its own unit: the tangent of the angle, or radians. */
const limitStep = 1e-3;
/** The tangent of 87°. */
const widest = 20;

/** How a lens bends what it shows. Plain numbers in fields: this runs for each point of a cloud. */
export class Lens {
  /** Where the direction that was looked at last is seen, in pixels: 0 is the middle of the first one. */
  u = 0;
  v = 0;
  private readonly isAngle: boolean;
  private readonly camera: Pinhole;
  private readonly k1: number;
  private readonly k2: number;
  private readonly k3: number;
  private readonly k4: number;
  private readonly k5: number;
  private readonly k6: number;
  private readonly p1: number;
  private readonly p2: number;

  constructor({ model, distortion, camera }: Calibration) {
    this.isAngle = model === "angle";
    this.camera = { ...camera };
    const part = (at: number) => distortion[at] ?? 0;
    [this.k1, this.k2] = [part(0), part(1)];
    // Of the polynomial model the third and fourth are those of a lens that is not centred.
    [this.k3, this.k4] = this.isAngle ? [part(2), part(3)] : [part(4), part(5)];
    [this.k5, this.k6] = [part(6), part(7)];
    [this.p1, this.p2] = [part(2), part(3)];
  }

  /** Sets `u` and `v` to where a direction (x and y at a distance of 1) is seen. */
  look(x: number, y: number): void {
    const r2 = x * x + y * y;
    const { camera } = this;
    if (this.isAngle) {
      const r = Math.sqrt(r2);
      const factor = r > 1e-9 ? this.bendAngle(Math.atan(r)) / r : 1;
      this.u = camera.fx * x * factor + camera.cx;
      this.v = camera.fy * y * factor + camera.cy;
      return;
    }
    const { p1, p2 } = this;
    const radial = this.getRadial(r2);
    this.u = camera.fx * (x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)) + camera.cx;
    this.v = camera.fy * (y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y) + camera.cy;
  }

  /**
   * The squared distance from the axis, at a distance of 1, up to which the model holds. Polynomials fit the lens within the
   * picture and turn back further out, where they would show things in the picture that the camera does not see.
   */
  findLimit(): number {
    const { isAngle } = this;
    const bend = (at: number) => (isAngle ? this.bendAngle(at) : at * this.getRadial(at * at));
    const end = isAngle ? Math.PI / 2 : widest;
    let before = 0;
    for (let at = limitStep; at < end; at += limitStep) {
      const bent = bend(at);
      if (!(bent > before)) {
        const last = isAngle ? Math.tan(at - limitStep) : at - limitStep;
        return last * last;
      }
      before = bent;
    }
    return isAngle ? Infinity : widest * widest;
  }

  /** By how much the polynomial model moves what is seen at a squared distance of `r2` from the axis. */
  private getRadial(r2: number): number {
    return (1 + r2 * (this.k1 + r2 * (this.k2 + r2 * this.k3))) / (1 + r2 * (this.k4 + r2 * (this.k5 + r2 * this.k6)));
  }

  /** The angle at which the angle model shows what is `theta` from the axis. */
  private bendAngle(theta: number): number {
    const t2 = theta * theta;
    return theta * (1 + t2 * (this.k1 + t2 * (this.k2 + t2 * (this.k3 + t2 * this.k4))));
  }
}

/** Metres in front of a camera below which nothing is seen. */
const nearest = 1e-3;

/**
 * What a camera sees of places in its optical frame: x to the right, y down, z ahead, in metres. Of a rectified picture, the
 * distortion of the lens is gone.
 */
export class CameraView {
  /** Where the place that was projected last is seen, in pixels: 0 is the middle of the first one. */
  u = 0;
  v = 0;
  private readonly lens: Lens;
  private readonly limit: number;

  constructor(
    readonly calibration: Calibration,
    readonly isRectified: boolean,
  ) {
    this.lens = new Lens(calibration);
    this.limit = isRectified ? Infinity : this.lens.findLimit();
  }

  /** Sets `u` and `v` to where a place is seen, which may be beside the picture. Returns whether the camera can see it. */
  project(x: number, y: number, z: number): boolean {
    if (this.isRectified) return this.projectRectified(x, y, z);
    if (!(z > nearest)) return false;
    const across = x / z;
    const down = y / z;
    if (!(across * across + down * down <= this.limit)) return false;
    this.lens.look(across, down);
    this.u = this.lens.u;
    this.v = this.lens.v;
    return true;
  }

  /** Whether the place that was projected last is in the picture. */
  get isInside(): boolean {
    const { width, height } = this.calibration;
    return this.u >= -0.5 && this.v >= -0.5 && this.u < width - 0.5 && this.v < height - 0.5;
  }

  private projectRectified(x: number, y: number, z: number): boolean {
    const { rotation: r, rectified } = this.calibration;
    const ahead = r[6]! * x + r[7]! * y + r[8]! * z;
    if (!(ahead > nearest)) return false;
    this.u = (rectified.fx * (r[0]! * x + r[1]! * y + r[2]! * z)) / ahead + rectified.cx;
    this.v = (rectified.fy * (r[3]! * x + r[4]! * y + r[5]! * z)) / ahead + rectified.cy;
    return Number.isFinite(this.u) && Number.isFinite(this.v);
  }
}

/** Straight edges are seen bent by a lens: each is drawn as so many pieces. */
const pieces = 12;

/** The pieces of an edge that a camera sees, each from one place of the picture to the next; in pixels. */
export function projectEdge(camera: CameraView, from: Vector, to: Vector): [u: number, v: number][][] {
  const seen: [u: number, v: number][][] = [];
  let last: [u: number, v: number] | null = null;
  for (let n = 0; n <= pieces; n++) {
    const share = n / pieces;
    const at = (axis: 0 | 1 | 2) => from[axis] + (to[axis] - from[axis]) * share;
    const next: [u: number, v: number] | null = camera.project(at(0), at(1), at(2)) ? [camera.u, camera.v] : null;
    if (last !== null && next !== null) seen.push([last, next]);
    last = next;
  }
  return seen;
}
