import type { Annotation } from "@/engine/messages/pictures/annotation";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import type { PictureConfig } from "./picture-config";

const isText = ({ kind }: Annotation): boolean => kind === "text";

/** What is drawn over pictures as a panel is set to: lines as wide as chosen, without detections that are too unsure. */
export function styleOverlays(
  overlays: readonly Overlay[],
  { line_width: width, least_score: least }: Pick<PictureConfig, "line_width" | "least_score">,
): readonly Overlay[] {
  if (width === null && least === 0) return overlays;
  return overlays.map((overlay) => {
    const shapes = overlay.shapes.filter(({ score }) => score === undefined || score >= least);
    // Each detection with a score has one text.
    const unsure = overlay.shapes.filter(isText).length - shapes.filter(isText).length;
    const things = unsure === 1 ? "1 detection scores" : `${unsure.toLocaleString("en")} detections score`;
    return {
      ...overlay,
      shapes: width === null ? shapes : shapes.map((shape) => withWidth(shape, width)),
      notes: unsure === 0 ? overlay.notes : [...overlay.notes, `${things} less than ${least.toFixed(2)}`],
    };
  });
}

const withWidth = (shape: Annotation, width: number): Annotation =>
  shape.kind === "text" || shape.kind === "points" ? shape : { ...shape, width };
