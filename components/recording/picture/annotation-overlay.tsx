"use client";

import { cn } from "@/components/kit/cn";
import type { Annotation, Paint, PicturePoint } from "@/engine/messages/pictures/annotation";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";

/** Pixels of the screen: of texts of which nobody says how large they are, and of all others at least. */
const textSize = { usual: 12, least: 11 };

interface AnnotationOverlayProps {
  overlays: readonly Overlay[];
  width: number;
  height: number;
  /** Pixels of the screen for one of the picture. */
  scale: number;
  /** How the picture is turned, so that texts stay upright. */
  rotation: number;
  mirrored: boolean;
}

/**
 * What is drawn over a picture, in its own pixels; what belongs to another picture is dimmed. However small the picture is
 * shown, its texts can be read and its lines be seen.
 */
export function AnnotationOverlay({ overlays, width, height, scale, rotation, mirrored }: AnnotationOverlayProps) {
  const upright = `scale(${mirrored ? -1 : 1} 1) rotate(${-rotation}) scale(${1 / scale})`;
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="pointer-events-none absolute inset-0 overflow-visible"
    >
      {overlays.map(({ topic, shapes, matches }) => (
        <g key={topic} className={cn(!matches && "opacity-35")} data-topic={topic}>
          {shapes.map((shape, index) => (
            // Shapes have no names, and are drawn anew with each message.
            <Shape key={index} shape={shape} scale={scale} upright={upright} />
          ))}
        </g>
      ))}
    </svg>
  );
}

const stroked = (paint: Paint) => paint ?? "none";
const toList = (points: readonly PicturePoint[]) => points.map(({ x, y }) => `${x},${y}`).join(" ");

interface ShapeProps {
  shape: Annotation;
  scale: number;
  /** Turns to the screen and its pixels. */
  upright: string;
}

function Shape({ shape, scale, upright }: ShapeProps) {
  const toWidth = (width: number): number => Math.max(width, 1 / scale);
  switch (shape.kind) {
    case "circle": {
      const { at, radius, width, stroke, fill } = shape;
      return (
        <circle
          cx={at.x}
          cy={at.y}
          r={radius}
          stroke={stroked(stroke)}
          strokeWidth={toWidth(width)}
          fill={stroked(fill)}
        />
      );
    }
    case "points":
      return shape.points.map(({ x, y }, index) => (
        <circle
          key={index}
          cx={x}
          cy={y}
          r={Math.max(0.5, shape.size / 2, 1 / scale)}
          fill={stroked(shape.colours[index] ?? shape.stroke)}
        />
      ));
    case "lines":
      return Array.from({ length: shape.points.length / 2 }, (_, index) => {
        const [from, to] = [shape.points[2 * index]!, shape.points[2 * index + 1]!];
        const stroke = stroked(shape.colours[index] ?? shape.stroke);
        return (
          <line
            key={index}
            x1={from.x}
            y1={from.y}
            x2={to.x}
            y2={to.y}
            stroke={stroke}
            strokeWidth={toWidth(shape.width)}
          />
        );
      });
    case "path": {
      const { points, isClosed, width, stroke, fill } = shape;
      const style = { stroke: stroked(stroke), strokeWidth: toWidth(width), fill: stroked(fill) };
      return isClosed ? (
        <polygon points={toList(points)} {...style} />
      ) : (
        <polyline points={toList(points)} {...style} />
      );
    }
    case "text": {
      const { at, text, size: said, colour, background } = shape;
      const size = said === null ? textSize.usual : Math.max(said * scale, textSize.least);
      return (
        <text
          transform={`translate(${at.x} ${at.y}) ${upright}`}
          fontSize={size}
          dominantBaseline="text-after-edge"
          fill={stroked(colour)}
          stroke={stroked(background)}
          strokeWidth={background ? size / 3 : 0}
          strokeLinejoin="round"
          paintOrder="stroke"
          className="font-sans"
        >
          {text}
        </text>
      );
    }
  }
}
