"use client";

import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { Progress } from "@/components/kit/progress";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { Sweep } from "@/components/kit/sweep";
import { ErrorState } from "@/components/product/error-state";
import { readFailure } from "@/components/product/failure";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { DayBars } from "./day-bars";
import { isOnHeartbeats } from "./draft";
import { HitSummary, previewRate } from "./hit-summary";
import { LivePreviewPane } from "./live-preview-pane";
import { PreviewComparison } from "./preview-comparison";
import { PreviewRecordings } from "./preview-recordings";
import type { Found, Preview } from "./query";
import { OutcomeSummary } from "./suggestions/outcome-summary";
import { toJudgements } from "./suggestions/outcomes";
import { hasValueMap } from "./suggestions/value-grid";
import { usePreview, type PreviewRange } from "./use-preview";
import { useReports, type PreviewPaneProps } from "./use-reports";

const ValueMap = lazyPart(async () => (await import("./suggestions/value-map")).ValueMap);

const dayMs = 86_400_000;

/** Hits of each day from the first recording's to the last's, at most the latest 60. */
function hitsByDay({ recordings }: Preview): { date: string; hits: number }[] {
  const counts = new Map<string, number>();
  const days = recordings.map(({ started_at }) => started_at.slice(0, 10)).sort();
  for (const hit of recordings.flatMap(({ hits }) => hits)) {
    const day = hit.triggered_at.slice(0, 10);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const from = Math.max(Date.parse(first), Date.parse(last) - 59 * dayMs);
  return Array.from({ length: Math.round((Date.parse(last) - from) / dayMs) + 1 }, (_, at) => {
    const date = new Date(from + at * dayMs).toISOString().slice(0, 10);
    return { date, hits: counts.get(date) ?? 0 };
  });
}

/** Bars only where there are days to compare; of a single one the summary has said all. */
function HitsByDay({ preview }: { preview: Preview }) {
  const days = useMemo(() => hitsByDay(preview), [preview]);
  return preview.hit_count > 0 && days.length > 1 ? <DayBars days={days} /> : null;
}

/** Where the condition would have triggered on past recordings or heartbeats, redrawn with every change of it. */
export function PreviewPane(props: PreviewPaneProps) {
  return isOnHeartbeats(props.condition) ? <LivePreviewPane {...props} /> : <RecordingsPreview {...props} />;
}

function RecordingsPreview(props: PreviewPaneProps) {
  const {
    condition,
    scope,
    ruleId,
    outcomesOf = ruleId,
    recording,
    unit,
    onThresholdChange,
    onChange,
    children,
  } = props;
  const [range, setRange] = useState<PreviewRange>(
    recording ? { kind: "recording", uid: recording } : { kind: "latest" },
  );
  const preview = usePreview({ condition, scope, range, ruleId });
  const options = [
    ...(recording ? [{ value: "recording", label: "This recording" }] : []),
    { value: "latest", label: "Last 20 recordings" },
    { value: "7", label: "Last 7 days" },
    { value: "30", label: "Last 30 days" },
  ];
  const choose = (value: string) => {
    if (value === "recording" && recording) setRange({ kind: "recording", uid: recording });
    else setRange(value === "latest" ? { kind: "latest" } : { kind: "days", days: Number(value) });
  };
  const { data, error } = preview;
  const trpc = useTRPC();
  const outcomes = useQuery({
    ...trpc.rules.outcomes.queryOptions({ uid: outcomesOf ?? "" }),
    enabled: outcomesOf !== undefined,
    staleTime: 30_000,
  }).data;
  const judged = useMemo(() => toJudgements(outcomes ?? []), [outcomes]);
  const failure = useMemo(() => (error ? readFailure(error) : null), [error]);
  // What was found before stays until there is an answer, with the days that it was counted over.
  const [counted, setCounted] = useState(range);
  if (!preview.waiting && counted !== range) setCounted(range);
  const countedDays = counted.kind === "days" ? counted.days : null;
  const found = useMemo(
    (): Found | null =>
      failure || !data
        ? null
        : { ...data, among: data.recordings.length === 0 ? null : "recordings", rate: previewRate(data, countedDays) },
    [failure, data, countedDays],
  );
  useReports(props, found, failure?.issues);
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-table font-semibold">Preview</h2>
        <Select
          aria-label="Recordings to look at"
          size="sm"
          className="w-44"
          options={options}
          value={range.kind === "days" ? String(range.days) : range.kind}
          onValueChange={choose}
        />
      </div>
      {children}
      <div aria-live="polite" aria-busy={preview.waiting || undefined} className="flex min-w-0 flex-col gap-4">
        {preview.progress !== null && <Progress share={preview.progress} label="Preview" showLabel />}
        {!preview.complete && (
          <p className="text-table text-muted">
            Choose a topic, a field and a value to see where this rule would have triggered.
          </p>
        )}
        {preview.complete && failure && failure.status === 400 && (
          <p className="text-table text-muted">
            The condition cannot be previewed yet: see the marked fields on the left.
          </p>
        )}
        {preview.complete && failure && failure.status !== 400 && (
          <ErrorState error={error} title="The preview could not be computed" onRetry={() => void preview.refetch()} />
        )}
        {preview.complete && !failure && !data && <SkeletonText lines={5} />}
        {preview.complete && !failure && data && (
          <div>
            {preview.waiting && preview.progress === null && <Sweep />}
            <div className="flex flex-col gap-4">
              <HitSummary preview={data} devices={data.devices_total} rate={previewRate(data, countedDays)} />
              <OutcomeSummary
                recordings={data.recordings}
                judged={judged}
                condition={condition}
                onValueChange={onThresholdChange}
              />
              {onChange && preview.countHits && hasValueMap(condition, data.recordings) && (
                <Suspense>
                  <ValueMap
                    recordings={data.recordings}
                    judged={judged}
                    condition={condition}
                    unit={unit}
                    countHits={preview.countHits}
                    onChange={onChange}
                  />
                </Suspense>
              )}
              {data.warnings.map((warning) => (
                <Status key={warning} tone="warning" className="whitespace-normal!">
                  {warning}
                </Status>
              ))}
              {data.compare && <PreviewComparison preview={data} />}
              <HitsByDay preview={data} />
              <PreviewRecordings
                preview={data}
                judged={judged}
                condition={condition}
                onThresholdChange={onThresholdChange}
              />
            </div>
          </div>
        )}
      </div>
    </section>
  );
}
