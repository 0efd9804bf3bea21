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
      `The camera is calibrated for ${calibration.width}×${calibration.height}; the picture is ${width}×${height}.`,
    );
}

/** By how much a lens of the polynomial model moves what is seen at a squared distance of `r2` from its axis. */
function getRadial([k1 = 0, k2 = 0, , , k3 = 0, k4 = 0, k5 = 0, k6 = 0]: readonly number[], r2: number): number {
  return (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)));
}

/** The angle at which a lens of the angle model shows what is `theta` from its axis. */
function bendAngle([k1 = 0, k2 = 0, k3 = 0, k4 = 0]: readonly number[], theta: number): number {
  const t2 = theta * theta;
  return theta * (1 + t2 * (k1 + t2 * (k2 + t2 * (k3 + t2 * k4))));
}

/** Where a direction (x and y at a distance of 1) is seen in the picture. */
export function projectDirection(
  { model, distortion, camera }: Calibration,
  x: number,
  y: number,
): readonly [number, number] {
  const r2 = x * x + y * y;
  if (model === "angle") {
    const r = Math.sqrt(r2);
    const factor = r > 1e-9 ? bendAngle(distortion, Math.atan(r)) / r : 1;
    return [camera.fx * x * factor + camera.cx, camera.fy * y * factor + camera.cy];
  }
  const [, , p1 = 0, p2 = 0] = distortion;
  const radial = getRadial(distortion, r2);
  const bentX = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x);
  const bentY = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y;
  return [camera.fx * bentX + camera.cx, camera.fy * bentY + camera.cy];
}

/** Steps in which the end of a lens model is looked for, in its own unit: the tangent of the angle, or radians. */
const limitStep = 1e-3;
/** The tangent of 87°. */
const widest = 20;

/**
 * The squared distance from the axis, at a distance of 1, up to which a model holds. Polynomials fit the lens within the
 * picture and turn back further out, where they would show things in the picture that the camera does not see.
 */
function findLimit({ model, distortion }: Calibration): number {
  const isAngle = model === "angle";
  const bend = (at: number) => (isAngle ? bendAngle(distortion, at) : at * getRadial(distortion, at * at));
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
  private readonly limit: number;

  constructor(
    readonly calibration: Calibration,
    readonly isRectified: boolean,
  ) {
    this.limit = isRectified ? Infinity : findLimit(calibration);
  }

  /** Sets `u` and `v` to where a place is seen, which may be beside the picture. Returns whether the camera can see it. */
  project(x: number, y: number, z: number): boolean {
    if (this.isRectified) return this.projectRectified(x, y, z);
    if (!(z > nearest)) return false;
    const [across, down] = [x / z, y / z];
    if (!(across * across + down * down <= this.limit)) return false;
    [this.u, this.v] = projectDirection(this.calibration, across, down);
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
