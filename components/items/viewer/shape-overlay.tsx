"use client";

import { memo, useMemo } from "react";
import { listCorners } from "@/domain/annotations/rotated-box";
import { readBox, readPoints, readRings, type ItemShape } from "./shapes";

interface ShapeOverlayProps {
  shapes: readonly ItemShape[];
  width: number;
  height: number;
  /** Pixels of the screen for one of the picture. */
  scale: number;
  selected: string | null;
}

/** Shapes over a picture, in its own pixels, with lines of the same width at any scale; those of models are dashed. */
export const ShapeOverlay = memo(function ShapeOverlay({ shapes, width, height, scale, selected }: ShapeOverlayProps) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="pointer-events-none absolute top-0 left-0 overflow-visible"
    >
      {shapes.map((shape) => (
        <Mark key={shape.id} shape={shape} scale={scale} isSelected={shape.id === selected} />
      ))}
    </svg>
  );
});

function Mark({ shape, scale, isSelected }: { shape: ItemShape; scale: number; isSelected: boolean }) {
  const { colour, type, coordinates, label, run } = shape;
  const rings = useMemo(() => readRings({ type, coordinates }), [type, coordinates]);
  const area = useMemo(
    () => rings.map((ring) => `M${ring.map((point) => point.join(",")).join("L")}Z`).join(""),
    [rings],
  );
  const line = {
    fill: `color-mix(in srgb, ${colour} ${isSelected ? 35 : type === "mask" ? 25 : 12}%, transparent)`,
    stroke: colour,
    // In pixels of the screen: the picture is scaled by the page, which no vector effect knows of.
    strokeWidth: (isSelected ? 4 : 2) / scale,
    strokeDasharray: run === null ? undefined : `${6 / scale} ${4 / scale}`,
  } as const;
  const points = readPoints(coordinates);
  const path = points.map((point) => point.join(",")).join(" ");
  const box = type === "bbox" ? readBox(coordinates) : null;
  const corners = box ? listCorners(box) : null;
  const at = corners ? corners[0] : (points[0] ?? rings[0]?.[0]);
  return (
    <g data-shape={shape.id}>
      {corners && <polygon points={corners.map((corner) => corner.join(",")).join(" ")} {...line} />}
      {area !== "" && <path d={area} fillRule="evenodd" {...line} />}
      {type === "polyline" && <polyline points={path} {...line} fill="none" />}
      {type === "keypoints" &&
        points.map(([x, y], number) => (
          <circle
            key={number}
            cx={x}
            cy={y}
            r={(isSelected ? 6 : 4) / scale}
            fill={colour}
            stroke="#fff"
            strokeWidth={1 / scale}
          />
        ))}
      {at && (
        <text
          x={at[0]}
          y={at[1]}
          dy={-4 / scale}
          fontSize={12 / scale}
          fill="#fff"
          stroke="#000"
          strokeWidth={3 / scale}
          paintOrder="stroke"
        >
          {label}
        </text>
      )}
    </g>
  );
}
