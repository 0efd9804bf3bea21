import { listCorners } from "@/domain/annotations/rotated-box";
import { Annotation } from "@/domain/tasks/schema";
import type { Trial } from "./query";

interface DrawnShape {
  label: string;
  closed: boolean;
  points: [number, number][];
}

/** What predictions look like over a flat picture; cuboids and tags are not on one. */
export const toDrawnShapes = (predictions: Trial["predictions"]): DrawnShape[] =>
  predictions.flatMap((each): DrawnShape[] => {
    const annotation = Annotation.safeParse(each).data;
    if (annotation?.type === "bbox")
      return [{ label: annotation.label, closed: true, points: listCorners(annotation.coordinates) }];
    if (annotation?.type !== "polygon" && annotation?.type !== "polyline") return [];
    const { label, type, coordinates } = annotation;
    return [{ label, closed: type === "polygon", points: coordinates.points }];
  });
