import { Link2, X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { TagInput } from "@/components/kit/tag-input";
import type { LabelInput } from "@/domain/projects/label-schema";
import { keepEdges } from "./label-rows";

type Skeleton = Pick<LabelInput, "points" | "edges">;

/** The points of a skeleton in the order in which they are placed, and the lines between them. */
export function LabelSkeleton(props: {
  label: Skeleton & { color: string };
  onChange: (change: Partial<Skeleton>) => void;
}) {
  const { label, onChange } = props;
  const { points, edges } = label;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Field label="Points of a skeleton" optional hint="In the order in which they are placed.">
        <TagInput
          noun="point"
          max={100}
          value={points}
          placeholder="front, rear, mast"
          onValueChange={(next) => onChange({ points: next, edges: keepEdges(label, next) })}
        />
      </Field>
      {points.length > 1 && (
        <div className="flex min-w-0 flex-wrap gap-4">
          <SkeletonPicture points={points} edges={edges} color={label.color} />
          <div className="flex min-w-40 flex-1 flex-col gap-2">
            <ul aria-label="Lines" className="flex flex-wrap gap-1">
              {edges.map(([from, to], at) => (
                <li
                  key={`${from} ${to}`}
                  className="inline-flex h-6 items-center gap-0.5 rounded-control border bg-hover pl-1.5 text-meta"
                >
                  {points[from]} – {points[to]}
                  <button
                    type="button"
                    aria-label={`Remove line ${points[from]} to ${points[to]}`}
                    className="flex size-6 items-center justify-center rounded-control text-subtle hover:text-foreground"
                    onClick={() => onChange({ edges: edges.filter((_, place) => place !== at) })}
                  >
                    <X aria-hidden className="size-3" />
                  </button>
                </li>
              ))}
            </ul>
            <NewLine label={label} onAdd={(edge) => onChange({ edges: [...edges, edge] })} />
          </div>
        </div>
      )}
    </div>
  );
}

function NewLine({ label: { points, edges }, onAdd }: { label: Skeleton; onAdd: (edge: [number, number]) => void }) {
  const [ends, setEnds] = useState<{ from: string | null; to: string | null }>({ from: null, to: null });
  const options = points.map((point) => ({ value: point, label: point }));
  const [from, to] = [points.indexOf(ends.from ?? ""), points.indexOf(ends.to ?? "")];
  const isThere = edges.some(([a, b]) => (a === from && b === to) || (a === to && b === from));
  const reason =
    from < 0 || to < 0
      ? "Choose two points."
      : from === to
        ? "A line needs two points."
        : isThere
          ? "They are connected."
          : undefined;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <Select
        size="sm"
        className="min-w-24 flex-1"
        aria-label="Line from"
        placeholder="From"
        options={options}
        value={ends.from}
        onValueChange={(next) => setEnds({ ...ends, from: next })}
      />
      <Select
        size="sm"
        className="min-w-24 flex-1"
        aria-label="Line to"
        placeholder="To"
        options={options}
        value={ends.to}
        onValueChange={(next) => setEnds({ ...ends, to: next })}
      />
      <Button
        size="sm"
        icon={<Link2 aria-hidden />}
        disabledReason={reason}
        onClick={() => {
          onAdd([from, to]);
          setEnds({ from: ends.to, to: null });
        }}
      >
        Connect
      </Button>
    </div>
  );
}

const side = 128;

/** The points on a circle with the lines between them: which is connected with which, not where they are. */
function SkeletonPicture({ points, edges, color }: Skeleton & { color: string }) {
  const places = points.map((name, at) => {
    const angle = (at / points.length) * 2 * Math.PI - Math.PI / 2;
    return { name, x: side / 2 + Math.cos(angle) * 42, y: side / 2 + Math.sin(angle) * 42 };
  });
  return (
    <svg
      role="img"
      aria-label={`${points.length} points with ${edges.length} lines`}
      viewBox={`0 0 ${side} ${side}`}
      className="size-32 shrink-0 rounded-panel border bg-background"
    >
      {edges.map(([from, to]) => {
        const [a, b] = [places[from], places[to]];
        return (
          a && b && <line key={`${from} ${to}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y} stroke={color} strokeWidth={2} />
        );
      })}
      {places.map(({ name, x, y }, at) => (
        <g key={name}>
          <title>{name}</title>
          <circle cx={x} cy={y} r={5} fill={color} />
          <text
            x={side / 2 + (x - side / 2) * 1.3}
            y={side / 2 + (y - side / 2) * 1.3 + 3}
            textAnchor="middle"
            className="fill-muted text-meta"
            fontSize={9}
          >
            {at + 1}
          </text>
        </g>
      ))}
    </svg>
  );
}
