import { findField } from "@/engine/messages/clouds/cloud";
import { findMiddle, readColours, readColumn, sampleCloud } from "@/engine/messages/clouds/cloud-columns";
import { getColours, type ColourScale } from "@/engine/messages/colour-scale";
import type { CameraView } from "@/engine/messages/pictures/camera-model";
import type { ValueRange } from "@/engine/messages/pictures/raw-pixels";
import { rotate, type Pose } from "@/engine/messages/pose";
import type { Cloud } from "@/engine/messages/scene-object";

/** Points that are drawn over one picture at most; of more, every nth. */
const maxPoints = 200_000;
/** Pixels of what is drawn; larger pictures have one for each few of theirs. */
const maxPixels = 8_000_000;
/** Values that the range of colours is found from. */
const maxSamples = 20_000;

/** What a cloud's points can be coloured by: their distance from the camera, a field, their own colours, or nothing. */
export const listColourings = (cloud: Cloud): string[] => [
  ...new Set([
    "distance",
    ...cloud.fields.map(({ name }) => name).filter((name) => name !== "rgb" && name !== "rgba"),
    ...(hasColours(cloud) ? ["rgb"] : []),
    "flat",
  ]),
];

const hasColours = (cloud: Cloud): boolean => {
  const has = (name: string) => findField(cloud, name) !== null;
  return has("rgb") || has("rgba") || (has("red") && has("green") && has("blue"));
};

/** The points that a camera sees. */
export interface SeenPoints {
  /** How many, of how many that were looked at: every `step`th of the cloud. */
  count: number;
  step: number;
  colouredBy: string;
  /** Pixels of the picture; 0 is the middle of the first one. */
  places: Float32Array;
  /** Metres from the camera. */
  distances: Float32Array;
  /** What they are coloured by; empty where that is no number. */
  values: Float32Array;
  /** Of each, red in the lowest byte; null where values are coloured, or all have one colour. */
  colours: Uint32Array | null;
}

/** What a camera sees of a cloud that lies at a pose in its optical frame. `wanted`: what the points are coloured by. */
export function projectCloud(cloud: Cloud, pose: Pose, camera: CameraView, wanted: string | null): SeenPoints {
  const step = Math.max(1, Math.ceil(cloud.count / maxPoints));
  const sample = sampleCloud(cloud, step);
  const colouredBy = wanted !== null && listColourings(cloud).includes(wanted) ? wanted : "distance";
  const [x, y, z] = [readColumn(sample, "x"), readColumn(sample, "y"), readColumn(sample, "z")];
  const isValue = colouredBy !== "rgb" && colouredBy !== "flat";
  const column = isValue && colouredBy !== "distance" ? readColumn(sample, colouredBy) : null;
  const packed = colouredBy === "rgb" ? readColours(sample) : null;
  const own = packed === null ? null : new Uint32Array(packed.buffer);
  const [places, distances] = [new Float32Array(2 * sample.count), new Float32Array(sample.count)];
  const values = new Float32Array(isValue ? sample.count : 0);
  const colours = own === null ? null : new Uint32Array(sample.count);
  const [px, py, pz] = pose.position;
  const [ax, ay, az] = rotate(pose.orientation, [1, 0, 0]);
  const [bx, by, bz] = rotate(pose.orientation, [0, 1, 0]);
  const [cx, cy, cz] = rotate(pose.orientation, [0, 0, 1]);
  let count = 0;
  for (let point = 0; point < sample.count; point++) {
    const a = x[point]!;
    const b = y[point]!;
    const c = z[point]!;
    const right = px + ax * a + bx * b + cx * c;
    const down = py + ay * a + by * b + cy * c;
    const ahead = pz + az * a + bz * b + cz * c;
    if (!camera.project(right, down, ahead) || !camera.isInside) continue;
    const distance = Math.sqrt(right * right + down * down + ahead * ahead);
    places[2 * count] = camera.u;
    places[2 * count + 1] = camera.v;
    distances[count] = distance;
    if (isValue) values[count] = column === null ? distance : column[point]!;
    // Half seen points are none: those of a message may have no opacity at all.
    if (colours !== null) colours[count] = (own![point]! | 0xff_00_00_00) >>> 0;
    count++;
  }
  return {
    count,
    step,
    colouredBy,
    places: places.subarray(0, 2 * count),
    distances: distances.subarray(0, count),
    values: values.subarray(0, isValue ? count : 0),
    colours: colours?.subarray(0, count) ?? null,
  };
}

/** The range that the colours of points span; null where they show no values. */
export function findValueRange({ values }: SeenPoints): ValueRange | null {
  if (values.length === 0) return null;
  const every = Math.ceil(values.length / maxSamples);
  return findMiddle(values.filter((_, at) => at % every === 0));
}

/** Points without a value, and all of them where they have one colour. */
const [unknown, flat] = [0xff_80_80_80, 0xff_f0_99_5a];

/** The pixels that points are drawn into: those of the picture, or one for each few of a large one. */
export class PointRaster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
  /** How many pixels of the picture, along each side, one of these stands for. */
  readonly share: number;
  private readonly nearest: Float32Array;

  constructor(
    readonly pictureWidth: number,
    readonly pictureHeight: number,
  ) {
    let share = 1;
    while ((pictureWidth / share) * (pictureHeight / share) > maxPixels) share += 1;
    this.share = share;
    [this.width, this.height] = [Math.ceil(pictureWidth / share), Math.ceil(pictureHeight / share)];
    this.pixels = new Uint32Array(this.width * this.height);
    this.nearest = new Float32Array(this.width * this.height);
  }

  /** Draws points, near ones over those behind; `size` in pixels of the picture. What was drawn before is gone. */
  draw(points: SeenPoints, range: ValueRange | null, scale: ColourScale, size: number): void {
    const { pixels, nearest, width, height, share } = this;
    pixels.fill(0);
    nearest.fill(Infinity);
    const ramp = getColours(scale);
    const side = Math.max(1, Math.round(size / share));
    const before = (side - 1) >> 1;
    const [low, factor] = range === null ? [0, 0] : [range.min, 255 / Math.max(range.max - range.min, 1e-12)];
    for (let point = 0; point < points.count; point++) {
      const distance = points.distances[point]!;
      const value = points.values[point] ?? Number.NaN;
      const valued = Number.isNaN(value)
        ? unknown
        : ramp[Math.max(0, Math.min(255, Math.round((value - low) * factor)))]!;
      const colour = points.colours?.[point] ?? (points.values.length === 0 ? flat : valued);
      const left = Math.floor((points.places[2 * point]! + 0.5) / share) - before;
      const top = Math.floor((points.places[2 * point + 1]! + 0.5) / share) - before;
      const right = Math.min(width, left + side);
      const bottom = Math.min(height, top + side);
      for (let v = Math.max(0, top); v < bottom; v++) {
        for (let u = Math.max(0, left), at = v * width + u; u < right; u++, at++) {
          if (distance >= nearest[at]!) continue;
          nearest[at] = distance;
          pixels[at] = colour;
        }
      }
    }
  }
}

/** The size of points that is seen in pictures of any size, in pixels of the picture. */
export const chooseSize = (pictureWidth: number): number => Math.min(8, Math.max(1, Math.round(pictureWidth / 400)));
