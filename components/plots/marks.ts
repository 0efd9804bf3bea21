import type { EventType } from "@/domain/events/event-type";
import type { Severity } from "@/domain/severity";
import type { Palette } from "./palette";

/** The shape of an event's type, 9 px around a point: the same as beside its name elsewhere. */
export function drawEventMark(
  context: CanvasRenderingContext2D,
  palette: Palette,
  type: EventType,
  x: number,
  y: number,
): void {
  context.fillStyle = eventColour(palette, type);
  context.beginPath();
  if (type === "warning") polygon(context, triangle(x, y));
  else if (type === "state_change") polygon(context, diamond(x, y));
  else if (type === "custom") context.rect(x - 4, y - 4, 8, 8);
  else if (type === "anomaly") {
    polygon(
      context,
      Array.from({ length: 10 }, (_, at) => {
        const radius = at % 2 === 0 ? 5.5 : 2.4;
        const angle = (at / 5) * Math.PI - Math.PI / 2;
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
      }),
    );
  } else context.arc(x, y, 4.2, 0, 2 * Math.PI);
  context.fill();
}

export function eventColour(palette: Palette, type: EventType): string {
  const colours: Record<EventType, string> = {
    error: palette.critical,
    warning: palette.warning,
    info: palette.info,
    state_change: palette.series[5] ?? palette.accent,
    anomaly: palette.error,
    custom: palette.subtle,
  };
  return colours[type];
}

/** The shape of a severity: ◆ critical, ● error, ▲ warning, ○ info. */
export function drawSeverityMark(
  context: CanvasRenderingContext2D,
  palette: Palette,
  severity: Severity,
  x: number,
  y: number,
): void {
  context.fillStyle = palette[severity];
  context.strokeStyle = palette[severity];
  context.beginPath();
  if (severity === "critical") polygon(context, diamond(x, y));
  else if (severity === "warning") polygon(context, triangle(x, y));
  else context.arc(x, y, severity === "info" ? 3.6 : 4.2, 0, 2 * Math.PI);
  if (severity === "info") {
    context.lineWidth = 1.6;
    context.stroke();
  } else context.fill();
}

type Point = readonly [x: number, y: number];

const triangle = (x: number, y: number): Point[] => [
  [x, y - 5],
  [x + 5, y + 4],
  [x - 5, y + 4],
];

const diamond = (x: number, y: number): Point[] => [
  [x, y - 5],
  [x + 5, y],
  [x, y + 5],
  [x - 5, y],
];

function polygon(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  points.forEach(([x, y], at) => (at === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
}

/** Fills a box with slanted lines: no data. */
export function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  box: { x: number; y: number; width: number; height: number },
): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = box.x - box.height; at < box.x + box.width; at += 6) {
    context.moveTo(at, box.y + box.height);
    context.lineTo(at + box.height, box.y);
  }
  context.stroke();
  context.strokeRect(box.x + 0.5, box.y + 0.5, Math.max(0, box.width - 1), box.height - 1);
  context.restore();
}
