import type { SVGProps } from "react";

export type ShapeName =
  | "diamond"
  | "disc"
  | "triangle"
  | "ring"
  | "star"
  | "square"
  | "half"
  | "cross-ring"
  | "dotted-ring"
  | "check"
  | "cross"
  | "frame";

const paths: Record<ShapeName, SVGProps<SVGPathElement>> = {
  diamond: { d: "M6 0.6 11.4 6 6 11.4 0.6 6Z", fill: "currentColor" },
  disc: { d: "M6 1.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6Z", fill: "currentColor" },
  triangle: { d: "M6 1 11.3 10.6H0.7Z", fill: "currentColor" },
  ring: { d: "M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z", fill: "none", stroke: "currentColor", strokeWidth: 1.8 },
  star: {
    d: "M6 0.5 7.6 4.1 11.5 4.5 8.6 7.1 9.4 11 6 9 2.6 11 3.4 7.1 0.5 4.5 4.4 4.1Z",
    fill: "currentColor",
  },
  square: { d: "M1.5 1.5h9v9h-9Z", fill: "currentColor" },
  half: {
    d: "M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0 0v8a4 4 0 0 0 0-8Z",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: 1.8,
  },
  "cross-ring": {
    d: "M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM3.4 8.6l5.2-5.2",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: 1.6,
  },
  "dotted-ring": {
    d: "M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: 1.8,
    strokeDasharray: "0.1 2.99",
  },
  check: { d: "M1.8 6.4 4.7 9.2 10.2 3", fill: "none", stroke: "currentColor", strokeWidth: 1.9 },
  cross: { d: "M2.4 2.4 9.6 9.6M9.6 2.4 2.4 9.6", fill: "none", stroke: "currentColor", strokeWidth: 1.9 },
  frame: { d: "M2 2h8v8H2ZM4.8 4.8h2.4v2.4H4.8Z", fill: "none", stroke: "currentColor", strokeWidth: 1.4 },
};

/** A 10 px mark in the text's colour. Decorative: the label beside it carries the meaning for screen readers. */
export function Shape({ name, className }: { name: ShapeName; className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 12 12" width="10" height="10" className={className} style={{ flexShrink: 0 }}>
      {name === "half" && <path d="M6 2a4 4 0 0 0 0 8Z" fill="currentColor" />}
      <path strokeLinecap="round" {...paths[name]} />
    </svg>
  );
}
