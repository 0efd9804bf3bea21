"use client";

import { ArrowLeftToLine, ArrowRightToLine, Pencil, Ruler, X } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { ButtonLink } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { lazyPart } from "@/components/kit/lazy-part";
import { TruncateMiddle } from "@/components/kit/truncate";
import { Readout } from "@/components/plots/readout";
import type { Reading } from "@/components/plots/series-columns";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { parsePath } from "@/components/recording/session/topic-path";
import { fromExpression, toExpression } from "./plot-entry";
import { ruleHref } from "./rule-href";

const ExpressionForm = lazyPart(async () => (await import("./expression-form")).ExpressionForm);

/** Lengths of dashes and gaps by which lines of one plot differ, beside their colours. */
export const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

interface ChartRowProps {
  /** The path of a field, or an expression after an equals sign. */
  path: string;
  colour: string;
  dash: readonly number[];
  /** Whether it is what the others are drawn over. */
  isX: boolean;
  isRight: boolean;
  /** Why it is not drawn; null where it is. */
  note: ReactNode;
  readings: readonly Reading[];
  unit: string | undefined;
  /** The value that it is compared with; null for none. */
  threshold: number | null;
  /** Adds or removes a threshold; undefined where there is nothing to draw one beside. */
  onThreshold: (() => void) | undefined;
  /** Moves it to an axis; undefined where there is only one. */
  onRight: ((right: boolean) => void) | undefined;
  /** Puts another one in its place; null removes it. */
  onChange: (path: string | null) => void;
}

/** One field of a plot that shows several: how its line looks, its value, and what can be done with it. */
export function ChartRow(props: ChartRowProps) {
  const { path, colour, dash, isX, isRight, note, readings, unit, threshold, onThreshold, onRight, onChange } = props;
  const { axis, recording, reason, readOnly } = useTimeline();
  const [isEditing, setEditing] = useState(false);
  const expression = toExpression(path);
  const field = expression === null ? parsePath(path, recording.topics) : null;
  return (
    <li className="flex min-h-6 min-w-0 flex-wrap items-center gap-x-2 pl-2 text-meta">
      {isX ? (
        <span className="w-6 shrink-0 text-center text-subtle">x</span>
      ) : (
        <svg aria-hidden viewBox="0 0 24 8" className="h-2 w-6 shrink-0">
          <line x1="0" y1="4" x2="24" y2="4" stroke={colour} strokeWidth="2" strokeDasharray={dash.join(" ")} />
        </svg>
      )}
      <span className="min-w-0 font-mono">
        <TruncateMiddle text={path} tail={20} />
      </span>
      {isRight && onRight && !isX && <span className="shrink-0 text-subtle">right axis</span>}
      <span className="flex min-w-0 flex-1">
        {note === null ? (
          <Readout axis={axis} readings={readings} states={null} unit={unit} bare />
        ) : (
          <span className="text-warning-text">{note}</span>
        )}
      </span>
      {!readOnly && (
        <span className="flex shrink-0">
          {expression !== null && (
            <IconButton
              size="sm"
              className="size-6"
              label={`Edit ${path}`}
              aria-expanded={isEditing}
              icon={<Pencil aria-hidden />}
              onClick={() => setEditing(!isEditing)}
            />
          )}
          {threshold !== null && field && (
            <ButtonLink size="sm" href={ruleHref(recording, field, threshold)} disabledReason={reason}>
              Create rule from this
            </ButtonLink>
          )}
          {onThreshold && !isX && (
            <IconButton
              size="sm"
              className="size-6"
              label={threshold === null ? `Add a threshold line for ${path}` : `Remove the threshold line of ${path}`}
              aria-pressed={threshold !== null}
              icon={<Ruler aria-hidden />}
              onClick={onThreshold}
            />
          )}
          {onRight && !isX && (
            <IconButton
              size="sm"
              className="size-6"
              label={isRight ? `Move ${path} to the left axis` : `Move ${path} to the right axis`}
              icon={isRight ? <ArrowLeftToLine aria-hidden /> : <ArrowRightToLine aria-hidden />}
              onClick={() => onRight(!isRight)}
            />
          )}
          <IconButton
            size="sm"
            className="size-6"
            label={`Remove ${path}`}
            icon={<X aria-hidden />}
            onClick={() => onChange(null)}
          />
        </span>
      )}
      {isEditing && expression !== null && (
        <Suspense>
          <ExpressionForm
            topics={recording.topics}
            initial={expression}
            action="Apply"
            onSubmit={(next) => {
              setEditing(false);
              onChange(fromExpression(next));
            }}
            onCancel={() => setEditing(false)}
          />
        </Suspense>
      )}
    </li>
  );
}
