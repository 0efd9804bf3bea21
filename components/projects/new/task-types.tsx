"use client";

import { useId, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import type { Outputs } from "@/components/trpc/client";
import { taskTypes } from "@/domain/projects/schema";
import { taskTypeLabels } from "../labels";

type TaskType = (typeof taskTypes)[number];
export type Source = Outputs["projects"]["sources"][number];

const dataLabels: Readonly<Record<Source["data_type"], string>> = {
  image: "pictures",
  video: "videos",
  lidar: "point clouds",
  mcap: "recordings",
  splat: "splats",
  image_3d: "3-D pictures",
};

/** Why the items of a dataset cannot be labelled here; undefined where they can. */
export const explainSource = ({ name, data_type: type }: Source): string | undefined =>
  type === "image" ? undefined : `${name} holds ${dataLabels[type]}; only pictures can be labelled here yet.`;

const examples: Readonly<Record<TaskType, { text: string; reason?: string; drawing: ReactNode }>> = {
  "image-annotation": {
    text: "Boxes, polygons, lines, points and tags on single pictures.",
    drawing: (
      <>
        <rect x="18" y="22" width="34" height="28" className="fill-accent/15 stroke-accent" />
        <path d="M62 20 84 14 102 30 92 52 68 48Z" className="fill-series-2/15 stroke-series-2" />
        {[
          [62, 20],
          [84, 14],
          [102, 30],
          [92, 52],
          [68, 48],
        ].map(([x, y]) => (
          <circle key={x} cx={x} cy={y} r="2" className="fill-series-2" stroke="none" />
        ))}
      </>
    ),
  },
  "video-annotation": {
    text: "Objects followed from frame to frame.",
    reason: "Not on these pages yet: results come by API.",
    drawing: [0, 1, 2].map((at) => (
      <g key={at}>
        <rect x={10 + at * 36} y="14" width="30" height="36" className="fill-none stroke-border-strong" />
        <rect x={14 + at * 40} y={30 - at * 5} width="12" height="10" className="fill-none stroke-muted" />
      </g>
    )),
  },
  "point-cloud-annotation": {
    text: "Every point of a cloud by what it belongs to.",
    reason: "Not on these pages yet: results come by API.",
    drawing: Array.from({ length: 28 }, (_, at) => (
      <circle
        key={at}
        cx={14 + ((at * 37) % 92)}
        cy={12 + ((at * 23) % 42)}
        r="1.5"
        stroke="none"
        className={at % 3 === 0 ? "fill-muted" : "fill-border-strong"}
      />
    )),
  },
  "point-cloud-objects": {
    text: "Cuboids around objects in a cloud.",
    reason: "Not on these pages yet: results come by API.",
    drawing: (
      <g className="fill-none stroke-muted">
        <rect x="34" y="26" width="36" height="22" />
        <rect x="48" y="16" width="36" height="22" />
        <path d="M34 26 48 16M70 26 84 16M34 48 48 38M70 48 84 38" />
      </g>
    ),
  },
};

/** The kinds of task as cards with a drawn example; those that have no editor yet say so. */
export function TaskTypeCards({ value, onChange }: { value: TaskType; onChange: (type: TaskType) => void }) {
  const name = useId();
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <legend className="sr-only">Kind of task</legend>
      {taskTypes.map((type) => {
        const { text, reason, drawing } = examples[type];
        return (
          <label
            key={type}
            className={cn(
              "flex min-w-0 flex-col gap-2 rounded-panel border border-border-strong p-3 text-table has-[:checked]:border-accent has-[:checked]:ring-1 has-[:checked]:ring-accent has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-2 has-[:focus-visible]:outline-accent",
              reason === undefined ? "hover:border-subtle" : "border-border",
            )}
          >
            <input
              type="radio"
              name={name}
              value={type}
              checked={value === type}
              disabled={reason !== undefined}
              onChange={() => onChange(type)}
              className="sr-only"
            />
            <svg
              aria-hidden
              viewBox="0 0 120 64"
              strokeWidth="1.5"
              className={cn("h-20 w-full rounded-control bg-background", reason !== undefined && "opacity-60")}
            >
              {drawing}
            </svg>
            <span className="font-medium">{taskTypeLabels[type]}</span>
            <span className="text-meta text-muted">{text}</span>
            {reason !== undefined && <span className="text-meta text-subtle">{reason}</span>}
          </label>
        );
      })}
    </fieldset>
  );
}
