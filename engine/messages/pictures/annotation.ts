import { readFields, readList, readNumber, type Fields } from "@/engine/messages/reading";

/** A colour as style sheets write it; null for one that is fully transparent. */
export type Paint = string | null;

/** Pixels of a picture: 0 is the edge of its first pixel, not its middle. */
export interface PicturePoint {
  x: number;
  y: number;
}

/** What is drawn over a picture. Sizes in its pixels. */
export type Annotation = AnnotationShape & {
  /** How sure a detector is of what it found, from 0 to 1; missing where it does not say. */
  score?: number;
};

type AnnotationShape =
  | { kind: "circle"; at: PicturePoint; radius: number; width: number; stroke: Paint; fill: Paint }
  /** `colours`: of each point or line, in place of `stroke`. */
  | { kind: "points"; points: PicturePoint[]; size: number; stroke: Paint; colours: Paint[] }
  | { kind: "lines"; points: PicturePoint[]; width: number; stroke: Paint; colours: Paint[] }
  | { kind: "path"; points: PicturePoint[]; isClosed: boolean; width: number; stroke: Paint; fill: Paint }
  /** `at`: the lower left corner of the text. `size` null: nobody says how large, as of the name of a detection. */
  | { kind: "text"; at: PicturePoint; text: string; size: number | null; colour: Paint; background: Paint };

export interface Annotations {
  /** When what they describe was seen, nanoseconds since 1970; null when it is not said. */
  stamp: bigint | null;
  shapes: Annotation[];
  /** What could not be drawn, and why. */
  notes: string[];
}

/** Collects shapes, and counts what is none. */
export class AnnotationList {
  readonly shapes: Annotation[] = [];
  private unpaired = 0;
  private unplaced = 0;
  private left = 0;

  /** At most so many shapes are drawn over a picture. */
  constructor(private readonly limit = 2_000) {}

  add(shape: Annotation): void {
    if (this.shapes.length < this.limit) this.shapes.push(shape);
    else this.left += 1;
  }

  /** The places of a list of points; those that are no numbers are left out and counted. */
  readPoints(list: ArrayLike<unknown>): PicturePoint[] {
    const points = Array.from(list, readPoint).filter((point) => point !== null);
    this.unplaced += list.length - points.length;
    return points;
  }

  /** A place; null, and counted, when it is none. */
  place(value: unknown): PicturePoint | null {
    return this.readPoints([value])[0] ?? null;
  }

  /** Lines need two points each: an odd last one is dropped and counted. */
  toPairs(points: PicturePoint[]): PicturePoint[] {
    if (points.length % 2 === 0) return points;
    this.unpaired += 1;
    return points.slice(0, -1);
  }

  finish(stamp: bigint | null): Annotations {
    const say = (count: number, one: string, many: string) =>
      count === 0 ? [] : [count === 1 ? one : `${count.toLocaleString("en")} ${many}`];
    return {
      stamp,
      shapes: this.shapes,
      notes: [
        ...say(
          this.unpaired,
          "The last point of a list of lines has no pair and is left out",
          "last points of lists of lines have no pair and are left out",
        ),
        ...say(this.unplaced, "A point has no numbers", "points have no numbers"),
        ...say(this.left, "One shape too many", "shapes are too many"),
      ],
    };
  }
}

function readPoint(value: unknown): PicturePoint | null {
  const { x, y } = readFields(value ?? {});
  const point = { x: Number(x ?? 0), y: Number(y ?? 0) };
  return Number.isFinite(point.x) && Number.isFinite(point.y) ? point : null;
}

/** The colour of a field: red, green, blue and opacity from 0 to 1. */
export function readPaint(fields: Fields, name: string): Paint {
  const value = fields[name];
  return value === undefined || value === null ? null : toPaint(value);
}

export const readPaints = (fields: Fields, name: string): Paint[] => Array.from(readList(fields, name), toPaint);

function toPaint(value: unknown): Paint {
  const fields = readFields(value ?? {});
  const part = (name: string): number => {
    const number = Number(fields[name] ?? 0);
    return Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : 0;
  };
  const opacity = part("a");
  const shade = (name: string) => Math.round(part(name) * 255);
  return opacity === 0 ? null : `rgb(${shade("r")} ${shade("g")} ${shade("b")} / ${opacity})`;
}

/** A size in pixels; `fallback` where it is missing, none, or not above 0. */
export function readSize<Fallback extends number | null>(
  fields: Fields,
  name: string,
  fallback: Fallback,
): number | Fallback {
  const value = fields[name] === undefined ? 0 : readNumber(fields, name);
  return Number.isFinite(value) && value > 0 ? value : fallback;
}
