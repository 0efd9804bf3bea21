import { findPoint, type ChartLine } from "./chart-lines";
import { listTicks, type Scale } from "./chart-scale";
import type { Palette } from "./palette";
import type { Threshold } from "./plot-types";
import { formatTicks, formatValue } from "./series-columns";

/** A line with how it looks, and which axis it belongs to. */
export interface StyledLine {
  line: ChartLine;
  colour: string;
  /** Lengths of dashes and gaps; empty for none. */
  dash: readonly number[];
  isRight: boolean;
  /** Whether what its points stand for is shaded. */
  isShaded: boolean;
  /** Values that it is compared with. */
  thresholds: readonly Threshold[];
}

/** The part of a canvas that lines are drawn in, in pixels. */
export interface ChartBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface ChartDrawing {
  context: CanvasRenderingContext2D;
  palette: Palette;
  box: ChartBox;
  x: Scale;
  left: Scale;
  /** Null where no line belongs to it. */
  right: Scale | null;
  lines: readonly StyledLine[];
  /** Values along the lower side with what they say. */
  ticks: readonly { value: number; label: string }[];
  /** The moment whose points are marked; null for none. */
  moment: number | null;
}

export const toPixelX = (box: ChartBox, { min, max }: Scale, value: number): number =>
  box.left + ((value - min) / (max - min)) * box.width;
export const toPixelY = (box: ChartBox, { min, max }: Scale, value: number): number =>
  box.top + ((max - value) / (max - min)) * box.height;

/** Pixels right of the lines that labels may take. */
const labelRoom = 8;

/** Draws lines with their axes. */
export function drawChart(drawing: ChartDrawing): void {
  const { context, box, lines } = drawing;
  drawAxes(drawing);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  for (const each of lines) drawLine(drawing, each);
  for (const each of lines) drawThresholds(drawing, each);
  for (const each of lines) drawMoment(drawing, each);
  context.restore();
  drawRightAxis(drawing);
}

function drawAxes({ context, palette, box, left, ticks, x }: ChartDrawing): void {
  context.font = `11px ${palette.font}`;
  context.strokeStyle = palette.border;
  context.fillStyle = palette.muted;
  context.lineWidth = 1;
  const [end, bottom] = [box.left + box.width, box.top + box.height];
  const rule = (fromX: number, fromY: number, toX: number, toY: number) => {
    context.beginPath();
    context.moveTo(Math.round(fromX) + 0.5, Math.round(fromY) + 0.5);
    context.lineTo(Math.round(toX) + 0.5, Math.round(toY) + 0.5);
    context.stroke();
  };
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const { value, label } of ticks) {
    const at = toPixelX(box, x, value);
    rule(at, box.top, at, bottom);
    // The last one ends with the chart: beyond it there is no room for half of a time.
    const half = context.measureText(label).width / 2;
    context.fillText(label, Math.min(at, end + labelRoom - half), bottom + 5);
  }
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const { value, label } of labelTicks(listTicks(left, countRows(box)))) {
    const at = toPixelY(box, left, value);
    rule(box.left, at, end, at);
    context.fillText(label, box.left - 5, at);
  }
}

/** Inside the chart, over its lines: times stay below each other in all plots. */
function drawRightAxis({ context, palette, box, right }: ChartDrawing): void {
  if (!right) return;
  const end = box.left + box.width;
  context.font = `11px ${palette.font}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { value, label } of labelTicks(listTicks(right, countRows(box)))) {
    const at = toPixelY(box, right, value);
    context.fillStyle = palette.border;
    context.fillRect(end - 6, Math.round(at), 6, 1);
    drawRimmed(context, palette, { text: label, x: end - 9, y: at, colour: palette.muted });
  }
}

/** Marks of an upright axis at most. */
const countRows = ({ height }: ChartBox): number => Math.max(2, Math.floor(height / 32));

/** Draws a text with a rim that keeps it legible over lines. */
function drawRimmed(
  context: CanvasRenderingContext2D,
  palette: Palette,
  { text, x, y, colour }: { text: string; x: number; y: number; colour: string },
): void {
  context.strokeStyle = palette.surface;
  context.lineWidth = 3;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** The marks of an axis with what they say. */
export function labelTicks(values: readonly number[]): { value: number; label: string }[] {
  const labels = formatTicks(values);
  return values.map((value, at) => ({ value, label: labels[at] ?? "" }));
}

function drawLine(
  { context, box, x, left, right }: ChartDrawing,
  { line, colour, dash, isRight, isShaded }: StyledLine,
): void {
  const scale = isRight ? (right ?? left) : left;
  const toX = (at: number) => toPixelX(box, x, line.x[at] ?? 0);
  const toY = (value: number | null | undefined) => toPixelY(box, scale, value ?? 0);
  context.lineWidth = 1.25;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  for (const { from, to } of listParts(line)) {
    if (isShaded) {
      context.globalAlpha = 0.22;
      context.beginPath();
      for (let at = from; at < to; at++) context.lineTo(toX(at), toY(line.high[at]));
      for (let at = to - 1; at >= from; at--) context.lineTo(toX(at), toY(line.low[at]));
      context.fill();
      context.globalAlpha = 1;
    }
    context.setLineDash([...dash]);
    context.beginPath();
    for (let at = from; at < to; at++) context.lineTo(toX(at), toY(line.y[at]));
    context.stroke();
    context.setLineDash([]);
    if (to - from === 1) dot(context, toX(from), toY(line.y[from]), 1.5);
  }
}

function drawThresholds({ context, palette, box, left, right }: ChartDrawing, line: StyledLine): void {
  const scale = line.isRight ? (right ?? left) : left;
  context.font = `11px ${palette.font}`;
  context.textAlign = "left";
  for (const { value, label = formatValue(value) } of line.thresholds) {
    const y = toPixelY(box, scale, value);
    context.strokeStyle = line.colour;
    context.lineWidth = 1.25;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    context.setLineDash([]);
    const isAbove = y - 16 > box.top;
    context.textBaseline = isAbove ? "bottom" : "top";
    drawRimmed(context, palette, {
      text: label,
      x: box.left + 4,
      y: isAbove ? y - 2 : y + 3,
      colour: palette.foreground,
    });
  }
}

/** The parts of a line between its breaks; `to` is the position after the last point. */
function listParts({ y }: ChartLine): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let from = 0;
  for (let at = 0; at <= y.length; at++) {
    if (at < y.length && y[at] !== null) continue;
    if (at > from) parts.push({ from, to: at });
    from = at + 1;
  }
  return parts;
}

function drawMoment({ context, palette, box, x, left, right, moment }: ChartDrawing, each: StyledLine): void {
  const at = moment === null ? -1 : findPoint(each.line, moment);
  if (at < 0) return;
  const scale = each.isRight ? (right ?? left) : left;
  const [px, py] = [toPixelX(box, x, each.line.x[at] ?? 0), toPixelY(box, scale, each.line.y[at] ?? 0)];
  context.fillStyle = palette.surface;
  dot(context, px, py, 5.5);
  context.fillStyle = each.colour;
  dot(context, px, py, 4);
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
