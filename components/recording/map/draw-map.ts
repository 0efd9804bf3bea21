import type { Palette } from "@/components/plots/palette";
import { getColours } from "@/engine/messages/colour-scale";
import type { FixDetails } from "@/engine/messages/positions/fix";
import { drawShapes, type placeShapes } from "./feature-drawing";
import { formatDistance, roundDistance, type MapWindow } from "./map-window";
import type { Place } from "./place";
import type { Located, TrackColours, TrackLine } from "./track-line";

/** Something that happened at a moment, and how its mark is drawn at a pixel. */
export interface MapMark {
  /** Seconds of the time axis. */
  seconds: number;
  draw: (context: CanvasRenderingContext2D, palette: Palette, px: number, py: number) => void;
}

export interface MapDrawing {
  context: CanvasRenderingContext2D;
  palette: Palette;
  view: MapWindow;
  line: TrackLine;
  marks: readonly MapMark[];
  /** Seconds of the time axis. */
  playhead: number;
  /** What messages of the playhead draw below the track. */
  shapes: ReturnType<typeof placeShapes>;
  /** What the message of the place says beyond it; null when nothing. */
  fix: FixDetails | null;
  /** Whether tiles lie below, in place of a grid. */
  onTiles: boolean;
}

/** Draws a grid in metres unless tiles lie below, the whole track thin and its part up to the playhead thick, marks, and the place. */
export function drawMap(drawing: MapDrawing): void {
  const { context, palette, view, line, marks, playhead, onTiles } = drawing;
  context.clearRect(0, 0, view.width, view.height);
  if (!onTiles) drawGrid(drawing);
  drawShapes(context, view, palette, drawing.shapes);
  const passed = line.countUpTo(playhead);
  const located = line.locate(playhead);
  // Tiles have any colour: an edge sets the track off.
  if (onTiles) drawTrack(drawing, line.x.length, null, { width: 5, colour: palette.surface });
  drawTrack(drawing, line.x.length, null, { width: onTiles ? 2 : 1.5, colour: palette.subtle });
  if (line.colours) {
    drawColours(drawing, line.colours, line.x.length, null, 2);
    drawColours(drawing, line.colours, passed, located, 5);
  } else drawTrack(drawing, passed, located, { width: 3, colour: palette.accent });
  for (const mark of marks) {
    const place = line.locate(mark.seconds);
    if (place !== null) mark.draw(context, palette, ...view.toPixel(place));
  }
  const { fix } = drawing;
  if (fix !== null && fix.unfixed !== null) drawUnfixed(drawing, fix, fix.unfixed);
  else if (located !== null) {
    drawAccuracy(drawing, located);
    drawRobot(drawing, located);
  }
  drawScale(drawing);
}

function drawGrid({ context, palette, view }: MapDrawing): void {
  const step = roundDistance(48, view.scale);
  const from = view.toPlace(0, view.height);
  const to = view.toPlace(view.width, 0);
  context.strokeStyle = palette.border;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = Math.ceil(from.x / step) * step; x <= to.x; x += step) {
    const px = Math.round(view.toPixel({ x, y: 0 })[0]) + 0.5;
    context.moveTo(px, 0);
    context.lineTo(px, view.height);
  }
  for (let y = Math.ceil(from.y / step) * step; y <= to.y; y += step) {
    const py = Math.round(view.toPixel({ x: 0, y })[1]) + 0.5;
    context.moveTo(0, py);
    context.lineTo(view.width, py);
  }
  context.stroke();
}

/** The first `count` places of the track, and from the last of them to `end`. */
function drawTrack(
  { context, view, line }: MapDrawing,
  count: number,
  end: Place | null,
  { width, colour }: { width: number; colour: string },
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = "round";
  context.beginPath();
  let isDown = false;
  for (let at = 0; at < count; at++) {
    const [x, y] = [line.x[at]!, line.y[at]!];
    if (Number.isNaN(x)) {
      isDown = false;
      continue;
    }
    const [px, py] = view.toPixel({ x, y });
    if (isDown) context.lineTo(px, py);
    else context.moveTo(px, py);
    isDown = true;
  }
  if (end !== null && isDown) context.lineTo(...view.toPixel(end));
  context.stroke();
}

/** A pixel, red in its lowest byte, as a colour of CSS. */
export const toCss = (pixel: number): string => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;

/** The pieces of a track up to a place, each in the colour of its value, and from the last of them to `end`. */
function drawColours(
  { context, view, line }: MapDrawing,
  { pieces }: TrackColours,
  count: number,
  end: Place | null,
  width: number,
): void {
  const colours = getColours("turbo");
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = "round";
  for (const [index, places] of pieces.entries()) {
    context.strokeStyle = toCss(colours[Math.round(((index + 0.5) / pieces.length) * 255)]!);
    context.beginPath();
    for (const at of places) {
      if (at >= count) break;
      const isLast = at === count - 1;
      const next = isLast && end !== null ? end : { x: line.x[at + 1] ?? NaN, y: line.y[at + 1] ?? NaN };
      if (Number.isNaN(line.x[at]!) || Number.isNaN(next.x) || (isLast && end === null)) continue;
      context.moveTo(...view.toPixel({ x: line.x[at]!, y: line.y[at]! }));
      context.lineTo(...view.toPixel(next));
    }
    context.stroke();
  }
}

/** The ellipse in which the receiver is with two standard deviations. */
function drawAccuracy({ context, palette, view, line, fix }: MapDrawing, place: Place): void {
  if (!fix?.accuracy) return;
  const { longer, shorter, turn } = fix.accuracy;
  const scale = view.scale / line.plane.metresPerUnit;
  context.save();
  context.translate(...view.toPixel(place));
  // Pixels go down.
  context.rotate(-turn);
  context.beginPath();
  context.ellipse(0, 0, longer * scale, shorter * scale, 0, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.globalAlpha = 0.15;
  context.fill();
  context.globalAlpha = 0.8;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}

function drawRobot({ context, palette, view, fix }: MapDrawing, place: Located): void {
  const [px, py] = view.toPixel(place);
  const heading = fix?.heading ?? place.heading;
  context.save();
  context.translate(px, py);
  context.fillStyle = fix?.colour ?? palette.accent;
  context.strokeStyle = palette.surface;
  context.lineWidth = 2;
  context.beginPath();
  if (heading === null) context.arc(0, 0, 6, 0, 2 * Math.PI);
  else {
    context.rotate(heading);
    context.moveTo(0, -10);
    context.lineTo(7, 8);
    context.lineTo(0, 4);
    context.lineTo(-7, 8);
    context.closePath();
  }
  context.fill();
  context.stroke();
  context.restore();
}

/** Where a message says it is that does not count: hollow, with the reason. */
function drawUnfixed(
  { context, palette, view, line }: MapDrawing,
  { latitude, longitude }: FixDetails,
  reason: string,
): void {
  const [px, py] = view.toPixel(line.plane.place(latitude, longitude));
  context.save();
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.beginPath();
  context.arc(px, py, 6, 0, 2 * Math.PI);
  context.stroke();
  context.font = `11px ${palette.font}`;
  context.textBaseline = "middle";
  // An edge sets the word off from what lies below.
  context.strokeStyle = palette.surface;
  context.lineWidth = 3;
  context.strokeText(reason, px + 11, py);
  context.fillStyle = palette.muted;
  context.fillText(reason, px + 11, py);
  context.restore();
}

/** A bar of a round length at the bottom left, and the direction of north at the top right. */
function drawScale({ context, palette, view, line, onTiles }: MapDrawing): void {
  // On Mercator's plane the true length of a pixel depends on the latitude, which is that of the track.
  const scale = view.scale / line.plane.metresPerUnit;
  const metres = roundDistance(48, scale);
  const [left, bottom, length] = [10, view.height - 10, metres * scale];
  if (onTiles) {
    context.fillStyle = palette.surface;
    context.fillRect(left - 5, bottom - 18, length + 10, 23);
    context.fillRect(view.width - 23, 4, 18, 24);
  }
  context.strokeStyle = palette.muted;
  context.fillStyle = palette.muted;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(left, bottom - 5);
  context.lineTo(left, bottom);
  context.lineTo(left + length, bottom);
  context.lineTo(left + length, bottom - 5);
  context.stroke();
  context.font = `11px ${palette.font}`;
  context.textBaseline = "alphabetic";
  context.fillText(formatDistance(metres), left + 5, bottom - 4);
  const [x, y] = [view.width - 14, 24];
  context.textAlign = "center";
  context.fillText("N", x, y);
  context.textAlign = "start";
  context.beginPath();
  context.moveTo(x, y - 17);
  context.lineTo(x + 3.5, y - 10);
  context.lineTo(x - 3.5, y - 10);
  context.closePath();
  context.fill();
}
