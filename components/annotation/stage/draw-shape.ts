import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Outline, Point } from "@/domain/annotations/geometry";
import { getOfferedScore, isOffered } from "@/domain/annotations/pre-label";
import { getKind } from "../shapes/shape-kinds";
import type { PaintedMask } from "../tools/tool";

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** How a shape stands out. */
export type Look = "plain" | "crowded" | "selected" | "proposed";

/** Of CSS pixels: the radius of a point that is a mark, and the sides of a handle. */
const dotRadius = 4;
const handlePixels = 9;
/** CSS pixels of a shape's shorter side from which its label's initial is drawn beside it. */
const initialFrom = 28;
const usualTint = 0.12;
const unknownColour = "#8b949e";

interface Drawn {
  path: Path2D;
  dots: readonly { at: Point; isHollow: boolean }[];
  /** How opaque its area is; null: it has none. */
  tint: number | null;
  initialAt: Point | null;
  /** Pixels of the picture of its shorter side. */
  side: number;
}

function tracePath(outlines: readonly Outline[]): Path2D {
  const path = new Path2D();
  for (const { points, isClosed } of outlines) {
    points.forEach(([x, y], at) => (at === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    if (isClosed) path.closePath();
  }
  return path;
}

/** Draws shapes in pixels of the picture. What was traced once is used again: a shape never changes, another replaces it. */
export class ShapeDrawer {
  private readonly traced = new WeakMap<DraftShape, Drawn>();

  constructor(private readonly getLabel: (id: string) => EditorLabel | undefined) {}

  private trace(shape: DraftShape, label: EditorLabel | undefined): Drawn {
    const known = this.traced.get(shape);
    if (known) return known;
    const kind = getKind(shape);
    const { outlines, dots, tint = usualTint } = kind.draw(shape, label);
    const bounds = kind.bound(shape);
    const drawn: Drawn = {
      path: tracePath(outlines),
      dots,
      tint: kind.measure(shape) === null ? null : tint,
      initialAt: bounds ? [bounds.left, bounds.top] : null,
      side: bounds ? Math.min(bounds.right - bounds.left, bounds.bottom - bounds.top) : 0,
    };
    this.traced.set(shape, drawn);
    return drawn;
  }

  /** `pixel`: the pixels of the picture of a CSS pixel. A black and a white line below the colour are seen on any picture. */
  draw(context: Context, shape: DraftShape, pixel: number, look: Look): void {
    const label = this.getLabel(shape.label_id);
    const colour = label?.color ?? unknownColour;
    const { path, dots, tint } = this.trace(shape, label);
    const width = look === "selected" ? 2.5 : look === "crowded" ? 1 : 1.5;
    if (tint !== null) {
      // A selected one lies above itself: people have to see what is in it.
      context.globalAlpha = look === "selected" ? tint / 2 : tint;
      context.fillStyle = colour;
      context.fill(path, "evenodd");
      context.globalAlpha = 1;
    }
    context.lineJoin = "round";
    const isDashed = look === "proposed" || isOffered(shape);
    context.setLineDash(isDashed ? [6 * pixel, 4 * pixel] : []);
    // Wide lines are what takes the time where no graphics card draws them.
    for (const [style, more] of look === "crowded" ? crowdedLines : lines) {
      context.strokeStyle = style ?? colour;
      context.lineWidth = (width + more) * pixel;
      context.stroke(path);
    }
    for (const { at, isHollow } of dots) drawDot(context, at, pixel, isHollow ? "#ffffff" : colour);
  }

  /** Draws a mask that is being painted, in the colour of the label that it has or will have. */
  paint(context: CanvasRenderingContext2D, mask: PaintedMask, labelId = mask.labelId): void {
    mask.draw(context, this.getLabel(labelId)?.color ?? unknownColour);
  }

  /** The first letter of the label, with the score of what a model offers, at the upper left of a shape that has the room. */
  drawInitial(context: Context, shape: DraftShape, pixel: number): void {
    const label = this.getLabel(shape.label_id);
    const { initialAt, side } = this.trace(shape, label);
    if (!label || !initialAt || side < initialFrom * pixel) return;
    const [x, y] = initialAt;
    const score = isOffered(shape) ? getOfferedScore(shape) : null;
    const initial = [...label.name][0]?.toUpperCase() ?? "";
    const size = 14 * pixel;
    const width = score === null ? size : 46 * pixel;
    context.fillStyle = "#000000";
    context.fillRect(x, y, width, size);
    context.fillStyle = "#ffffff";
    context.font = `600 ${11 * pixel}px sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const text = score === null ? initial : `${initial} ${score.toFixed(2)}`;
    context.fillText(text, x + width / 2, y + size / 2 + pixel / 2);
  }
}

const lines: readonly (readonly [style: string | null, more: number])[] = [
  ["#000000", 3],
  ["#ffffff", 1.5],
  [null, 0],
];

const crowdedLines: typeof lines = [
  ["#000000", 2],
  [null, 0],
];

export function drawDot(context: Context, [x, y]: Point, pixel: number, fill: string): void {
  context.setLineDash([]);
  context.beginPath();
  context.arc(x, y, dotRadius * pixel, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = "#000000";
  context.lineWidth = 1.5 * pixel;
  context.stroke();
}

/** A point beside what is meant: hollow, with a bar, so that not the colour alone tells it from others. */
export function drawMinus(context: Context, [x, y]: Point, pixel: number): void {
  drawDot(context, [x, y], 1.5 * pixel, "#ffffff");
  context.lineWidth = 2 * pixel;
  context.beginPath();
  context.moveTo(x - 3 * pixel, y);
  context.lineTo(x + 3 * pixel, y);
  context.stroke();
}

/** The line to a handle that lies outside of its shape. */
export function drawStem(context: Context, from: Point, to: Point, pixel: number): void {
  context.setLineDash([]);
  for (const [style, width] of [
    ["#000000", 3],
    ["#ffffff", 1],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = width * pixel;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  }
}

/** A square to grab; the one that keys move is filled. */
export function drawHandle(context: Context, [x, y]: Point, pixel: number, isChosen: boolean): void {
  const side = handlePixels * pixel;
  context.setLineDash([]);
  context.fillStyle = isChosen ? "#000000" : "#ffffff";
  context.strokeStyle = isChosen ? "#ffffff" : "#000000";
  context.lineWidth = 1.5 * pixel;
  context.fillRect(x - side / 2, y - side / 2, side, side);
  context.strokeRect(x - side / 2, y - side / 2, side, side);
}

/** Lines under construction, or a rectangle that selects. */
export function drawDashed(context: Context, outlines: readonly Outline[], pixel: number, colour: string): void {
  const path = tracePath(outlines);
  context.lineJoin = "round";
  context.setLineDash([]);
  for (const [style, more] of lines.slice(0, 2)) {
    context.strokeStyle = style ?? colour;
    context.lineWidth = (1.5 + more) * pixel;
    context.stroke(path);
  }
  context.setLineDash([5 * pixel, 3 * pixel]);
  context.strokeStyle = colour;
  context.lineWidth = 1.5 * pixel;
  context.stroke(path);
}
