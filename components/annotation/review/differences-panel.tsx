"use client";

import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { Switch } from "@/components/kit/switch";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import { getKind } from "../shapes/shape-kinds";
import type { ShapePair } from "./query";
import type { ResultShapes } from "./result-shapes";

interface DifferencesPanelProps {
  pairs: readonly ShapePair[];
  earlier: ResultShapes;
  shapes: ResultShapes;
  labels: readonly EditorLabel[];
  /** What the earlier one was: "round 1". */
  name: string;
  selected: readonly string[];
  onSelect: (pair: ShapePair) => void;
  isOnly: boolean;
  onOnly: (isOnly: boolean) => void;
}

const joined = (words: readonly string[]): string => {
  const text = words.join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** What of a shape is no longer as it was. */
function describePair(pair: ShapePair): string {
  if (pair.a_shape === null) return "New";
  if (pair.b_shape === null) return "Gone";
  const words = { missing: "", label: "renamed", place: "moved", attributes: "described otherwise" };
  return joined(pair.differs.map((each) => words[each]));
}

/** What changed since an earlier round, shape by shape. */
export function DifferencesPanel(props: DifferencesPanelProps) {
  const { pairs, earlier, shapes, labels, name, selected, onSelect, isOnly, onOnly } = props;
  const changed = pairs.filter(({ differs }) => differs.length > 0);
  const same = pairs.length - changed.length;
  const byId = new Map(labels.map((label) => [label.id, label]));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center justify-between gap-2 border-b px-3 py-2 text-table text-muted">
        <span>
          {changed.length === 0 ? `Nothing changed since ${name}` : `Since ${name}`}
          {same > 0 && changed.length > 0 && `: ${formatNumber(same, 0)} the same`}
        </span>
        {changed.length > 0 && <Switch checked={isOnly} onCheckedChange={onOnly} label="Only these" />}
      </div>
      <ul aria-label="Differences" className="min-h-0 flex-1 overflow-y-auto">
        {changed.map((pair) => {
          const [was, is] = [
            pair.a_shape === null ? undefined : earlier[pair.a_shape],
            pair.b_shape === null ? undefined : shapes[pair.b_shape],
          ];
          const shape = is ?? was;
          const [label, before] = [byId.get(shape?.label_id ?? ""), byId.get(was?.label_id ?? "")];
          const isSelected = is !== undefined && selected.includes(is.id);
          return (
            <li key={`${pair.a_shape} ${pair.b_shape}`}>
              <button
                type="button"
                aria-pressed={isSelected}
                onClick={() => onSelect(pair)}
                className={cn(
                  "flex min-h-9 w-full items-center gap-2 px-3 py-1.5 text-left text-table -outline-offset-2! hover:bg-hover",
                  isSelected && "bg-selected",
                )}
              >
                <span
                  aria-hidden
                  className="size-3 shrink-0 rounded-control"
                  style={{ background: label?.color ?? "var(--border-strong)" }}
                />
                <span className="min-w-0 flex-1">
                  <span className="font-medium">{describePair(pair)}</span>
                  <span className="text-muted">
                    , {label?.name ?? "no label"}
                    {pair.differs.includes("label") && ` was ${before?.name ?? "no label"}`}
                  </span>
                  <span className="block truncate text-meta text-subtle tabular-nums">
                    {shape ? `${getKind(shape).name}, ${getKind(shape).describe(shape)}` : "cannot be drawn"}
                  </span>
                </span>
                {pair.differs.includes("place") && pair.iou !== null && (
                  <span className="shrink-0 text-meta text-muted tabular-nums" title="The share of area that both have">
                    {formatNumber(pair.iou * 100, 0)} %
                  </span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
      <p className="sr-only" role="status">
        {plural(changed.length, "difference")}
      </p>
    </div>
  );
}
