"use client";

import { cn } from "@/components/kit/cn";
import type { Annotation, Paint, PicturePoint } from "@/engine/messages/annotation";
import type { Overlay } from "@/engine/messages/picture-overlays";

interface AnnotationOverlayProps {
  overlays: readonly Overlay[];
  width: number;
  height: number;
  /** How the picture is turned, so that texts stay upright. */
  rotation: number;
  mirrored: boolean;
}

/** What is drawn over a picture, in its own pixels; what belongs to another picture is dimmed. */
export function AnnotationOverlay({ overlays, width, height, rotation, mirrored }: AnnotationOverlayProps) {
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
            <Shape key={index} shape={shape} upright={`scale(${mirrored ? -1 : 1} 1) rotate(${-rotation})`} />
          ))}
        </g>
      ))}
    </svg>
  );
}

const stroked = (paint: Paint) => paint ?? "none";
const toList = (points: readonly PicturePoint[]) => points.map(({ x, y }) => `${x},${y}`).join(" ");

function Shape({ shape, upright }: { shape: Annotation; upright: string }) {
  switch (shape.kind) {
    case "circle": {
      const { at, radius, width, stroke, fill } = shape;
      return (
        <circle cx={at.x} cy={at.y} r={radius} stroke={stroked(stroke)} strokeWidth={width} fill={stroked(fill)} />
      );
    }
    case "points":
      return shape.points.map(({ x, y }, index) => (
        <circle
          key={index}
          cx={x}
          cy={y}
          r={Math.max(0.5, shape.size / 2)}
          fill={stroked(shape.colours[index] ?? shape.stroke)}
        />
      ));
    case "lines":
      return Array.from({ length: shape.points.length / 2 }, (_, index) => {
        const [from, to] = [shape.points[2 * index]!, shape.points[2 * index + 1]!];
        const stroke = stroked(shape.colours[index] ?? shape.stroke);
        return (
          <line key={index} x1={from.x} y1={from.y} x2={to.x} y2={to.y} stroke={stroke} strokeWidth={shape.width} />
        );
      });
    case "path": {
      const { points, isClosed, width, stroke, fill } = shape;
      const style = { stroke: stroked(stroke), strokeWidth: width, fill: stroked(fill) };
      return isClosed ? (
        <polygon points={toList(points)} {...style} />
      ) : (
        <polyline points={toList(points)} {...style} />
      );
    }
    case "text": {
      const { at, text, size, colour, background } = shape;
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
