import { z } from "zod";
import { readMask } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";
import type { StoredAnnotation } from "@/domain/tasks/schema";
import { listCorners } from "./rotated-box";

/** What a small picture can show of a line: more would only be a blot. */
const maxPoints = 64;
/** Lines of one shape: around its holes and, of a mask, its parts. */
const maxRings = 16;

/** A shape as lines over a small picture, in pixels from its top left. */
export interface FlatShape {
  label: string;
  closed: boolean;
  points: [number, number][];
  /** Lines around holes in it and, of a mask, around its other parts. */
  rings: [number, number][][];
}

const Points = z.array(z.tuple([z.number(), z.number()]));
const Holes = z.array(Points).catch([]);
const Box = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  rotation: z.number().optional(),
});

/** Fewer points of a line, evenly, with its first and last one. */
function thinOut(points: [number, number][]): [number, number][] {
  if (points.length <= maxPoints) return points;
  const step = (points.length - 1) / (maxPoints - 1);
  return Array.from({ length: maxPoints }, (_, at) => points[Math.round(at * step)] ?? [0, 0]);
}

type Stored = Pick<StoredAnnotation, "label" | "type" | "coordinates">;

/** The lines around the parts and holes of a mask, the longest first. */
function listMaskRings(coordinates: Stored["coordinates"]): [number, number][][] {
  const figure = readMask(coordinates);
  const rings = figure ? outlineMask(figure).map(({ points }) => points) : [];
  return rings.toSorted((a, b) => b.length - a.length);
}

/** What an annotation looks like on a flat picture; null for what is not on one, such as a cuboid. */
export function toFlatShape({ label, type, coordinates }: Stored): FlatShape | null {
  if (type === "bbox") {
    const box = Box.safeParse(coordinates);
    if (!box.success) return null;
    return { label, closed: true, points: listCorners(box.data), rings: [] };
  }
  if (type === "mask") {
    const [points, ...rings] = listMaskRings(coordinates).slice(0, maxRings).map(thinOut);
    return points ? { label, closed: true, points, rings } : null;
  }
  if (type !== "polygon" && type !== "polyline") return null;
  const points = Points.safeParse(coordinates.points);
  if (!points.success) return null;
  const rings = type === "polygon" ? Holes.parse(coordinates.holes).slice(0, maxRings).map(thinOut) : [];
  return { label, closed: type === "polygon", points: thinOut(points.data), rings };
}
