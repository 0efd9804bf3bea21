"use client";

import { Lock, LockOpen, Pencil, Ruler, Table2, X } from "lucide-react";
import { Suspense, useMemo, useState, type ReactNode } from "react";
import { ButtonLink } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { lazyPart } from "@/components/kit/lazy-part";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ChartSurface } from "@/components/plots/chart-surface";
import { FieldPlot } from "@/components/plots/field-plot";
import { gutter } from "@/components/plots/plot-types";
import type { Span } from "@/components/plots/time-axis";
import { useDebouncedSpan } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { findUnreadTopic, parsePath } from "@/components/recording/session/topic-path";
import { UnreadTopic } from "@/components/recording/session/unread-topic";
import { fromExpression, toExpression } from "./plot-entry";
import { ruleHref } from "./rule-href";
import { listRuleThresholds } from "./rule-thresholds";

const ExpressionForm = lazyPart(async () => (await import("./expression-form")).ExpressionForm);

/** Pixels of a plot among lanes. */
export const plotHeight = 132;

interface PlotPanelProps {
  /** The path of a field, or an expression after an equals sign. */
  path: string;
  onRemove: () => void;
  /** Pixels of the plot itself. */
  height?: number;
  /** Whether times are written below it, where nothing else says them. */
  times?: boolean;
  /** At the end of its head: what belongs to the panel that it is in. */
  tools?: ReactNode;
}

/** One plot of the timeline with its tools. */
export function PlotPanel({ path, onRemove, height = plotHeight, times = false, tools }: PlotPanelProps) {
  const { axis, recording, lanes, left, readOnly, reason, plots, setPlots } = useTimeline();
  const span = useDebouncedSpan(axis);
  const [table, setTable] = useState(false);
  const [locked, setLocked] = useState<Span | null>(null);
  const [threshold, setThreshold] = useState<number | null>(null);
  const [isEditing, setEditing] = useState(false);
  const expression = toExpression(path);
  const found = useMemo(() => parsePath(path, recording.topics), [path, recording.topics]);
  const thresholds = useMemo(
    () => [...(threshold === null ? [] : [{ value: threshold }]), ...listRuleThresholds(lanes, path)],
    [threshold, lanes, path],
  );
  const unread = useMemo(() => findUnreadTopic(path, recording.topics), [path, recording.topics]);
  if (expression === null && (!found || unread)) {
    return (
      <div className="flex items-center gap-2 border-b px-4 py-2 text-table text-muted">
        {unread ? (
          <span className="min-w-0 flex-1">
            <code className="font-mono text-meta wrap-anywhere">{path}</code>
            {": "}
            <span className="text-warning-text">
              <UnreadTopic topic={unread} />
            </span>
          </span>
        ) : (
          <span className="min-w-0 flex-1">
            This recording has no field <code className="font-mono">{path}</code>.
          </span>
        )}
        <IconButton label={`Remove ${path}`} size="sm" icon={<X aria-hidden />} onClick={onRemove} />
        {tools}
      </div>
    );
  }
  return (
    <section aria-label={path} className="border-b py-1">
      <FieldPlot
        key={path}
        axis={axis}
        recordingUid={recording.uid}
        topic={found?.topic ?? ""}
        field={found?.field ?? ""}
        expression={expression ?? undefined}
        fromNs={axis.ns(span.from)}
        toNs={axis.ns(span.to)}
        height={height}
        times={times}
        thresholds={thresholds}
        onThresholdChange={readOnly || threshold === null ? undefined : setThreshold}
        locked={locked}
        table={table}
        surface={(body, isChart) =>
          table || !isChart ? (
            <div className="pl-2 max-sm:pl-0">{body}</div>
          ) : (
            <ChartSurface axis={axis} left={left} drag="pan">
              <div style={{ paddingLeft: left - gutter.left }}>{body}</div>
            </ChartSurface>
          )
        }
        head={({ readout, kind, range }) => (
          <div data-off-chart className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-2 pr-3 pl-4 max-sm:pl-2">
            <h3 className="min-w-0 font-mono text-meta">
              <TruncateMiddle text={path} tail={20} />
            </h3>
            <span className="flex min-w-0 flex-1">{readout}</span>
            {expression !== null && !readOnly && (
              <IconButton
                size="sm"
                label="Edit the expression"
                aria-expanded={isEditing}
                icon={<Pencil aria-hidden />}
                onClick={() => setEditing(!isEditing)}
              />
            )}
            {threshold !== null && found && !readOnly && (
              <ButtonLink size="sm" href={ruleHref(recording, found, threshold)} disabledReason={reason}>
                Create rule from this
              </ButtonLink>
            )}
            {kind === "number" && !table && !readOnly && (
              <IconButton
                size="sm"
                label={threshold === null ? "Add a threshold line" : "Remove the threshold line"}
                aria-pressed={threshold !== null}
                icon={<Ruler aria-hidden />}
                disabled={range === null}
                onClick={() =>
                  setThreshold(
                    threshold === null && range ? Number(((range.from + range.to * 3) / 4).toPrecision(3)) : null,
                  )
                }
              />
            )}
            {kind === "number" && !table && (
              <IconButton
                size="sm"
                label={locked ? "Let the values' range follow the data" : "Lock the values' range"}
                aria-pressed={locked !== null}
                icon={locked ? <Lock aria-hidden /> : <LockOpen aria-hidden />}
                disabled={range === null}
                onClick={() => setLocked(locked ? null : range)}
              />
            )}
            <IconButton
              size="sm"
              label={table ? "Show as plot" : "Show as table"}
              aria-pressed={table}
              icon={<Table2 aria-hidden />}
              onClick={() => setTable(!table)}
            />
            <IconButton size="sm" label={`Remove ${path}`} icon={<X aria-hidden />} onClick={onRemove} />
            {tools}
            {isEditing && expression !== null && (
              <Suspense>
                <ExpressionForm
                  topics={recording.topics}
                  initial={expression}
                  action="Apply"
                  onSubmit={(next) => {
                    setEditing(false);
                    setPlots([...new Set(plots.map((each) => (each === path ? fromExpression(next) : each)))]);
                  }}
                  onCancel={() => setEditing(false)}
                />
              </Suspense>
            )}
          </div>
        )}
      />
    </section>
  );
}
