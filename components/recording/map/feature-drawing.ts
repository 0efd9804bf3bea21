import type { Palette } from "@/components/plots/palette";
import type { FeatureStyle, MapShape } from "@/engine/messages/scenes/map-features";
import type { MapWindow } from "./map-window";
import type { Plane } from "./place";

/** A shape on a plane: x and y of each corner of its parts. */
interface PlacedShape {
  kind: MapShape["kind"];
  parts: Float64Array[];
  style: FeatureStyle;
}

/** Shapes where they lie on a plane, so that moving the map computes only pixels. */
export function placeShapes(shapes: readonly MapShape[], plane: Plane): PlacedShape[] {
  return shapes.map(({ kind, parts, style }) => ({
    kind,
    style,
    parts: parts.map((corners) => {
      const placed = new Float64Array(corners.length);
      for (let at = 0; at < corners.length; at += 2) {
        const { x, y } = plane.place(corners[at + 1]!, corners[at]!);
        placed[at] = x;
        placed[at + 1] = y;
      }
      return placed;
    }),
  }));
}

/** Pixels of a point. */
const dot = 4;

/** Draws shapes in their own colours, or in those of the page. */
export function drawShapes(
  context: CanvasRenderingContext2D,
  view: MapWindow,
  palette: Palette,
  shapes: readonly PlacedShape[],
): void {
  context.save();
  context.lineJoin = "round";
  for (const { kind, parts, style } of shapes) {
    // A canvas ignores what is no colour: that of the page stays.
    context.strokeStyle = palette.accent;
    if (style.colour !== null) context.strokeStyle = style.colour;
    context.fillStyle = context.strokeStyle;
    if (style.fill !== null) context.fillStyle = style.fill;
    context.lineWidth = style.width ?? 2;
    context.beginPath();
    for (const corners of parts) {
      for (let at = 0; at < corners.length; at += 2) {
        const [px, py] = view.toPixel({ x: corners[at]!, y: corners[at + 1]! });
        if (kind === "points") {
          context.moveTo(px + dot, py);
          context.arc(px, py, dot, 0, 2 * Math.PI);
        } else if (at === 0) context.moveTo(px, py);
        else context.lineTo(px, py);
      }
      if (kind === "area") context.closePath();
    }
    context.globalAlpha = style.fillOpacity ?? (kind === "area" ? 0.2 : 1);
    if (kind !== "line") context.fill("evenodd");
    context.globalAlpha = style.opacity ?? 1;
    if (kind !== "points") context.stroke();
  }
  context.restore();
}

/** The part of the earth that shapes take; null without any. Degrees. */
export function findBounds(shapes: readonly MapShape[]) {
  const bounds = { south: Infinity, north: -Infinity, west: Infinity, east: -Infinity };
  for (const { parts } of shapes)
    for (const corners of parts)
      for (let at = 0; at < corners.length; at += 2) {
        const [longitude, latitude] = [corners[at]!, corners[at + 1]!];
        bounds.west = Math.min(bounds.west, longitude);
        bounds.east = Math.max(bounds.east, longitude);
        bounds.south = Math.min(bounds.south, latitude);
        bounds.north = Math.max(bounds.north, latitude);
      }
  return bounds.west > bounds.east ? null : bounds;
}
