"use client";

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button, ButtonLink } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { SeriesPlot } from "@/components/plots/series-plot";
import { recordingHref } from "@/components/product/recording-links";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { parseDateTimeNs } from "@/domain/time/nanoseconds";
import { hitBands, plotPath, plottedLeaf, thresholdValues } from "./moments";
import type { Preview, PreviewedRecording } from "./query";
import { JudgementLabel, JudgementMark } from "./suggestions/outcome-summary";
import type { Judgements } from "./suggestions/outcomes";

const maxBands = 50;
const shownFirst = 20;

const getTitle = ({ recording_name, device_name }: PreviewedRecording): string => recording_name || device_name;

/** A recording's length as a line, each hit a tick at its place, with the mark of what people decided about its alert. */
function HitTicks({ recording, judgement }: { recording: PreviewedRecording; judgement: Judgement | undefined }) {
  const [from, to] = [Date.parse(recording.started_at), Date.parse(recording.ended_at)];
  const place = (at: string) =>
    `${(Math.min(1, Math.max(0, (Date.parse(at) - from) / Math.max(1, to - from))) * 100).toFixed(2)}%`;
  return (
    <span aria-hidden className="relative block h-4 rounded-control bg-background">
      <span className="absolute inset-x-0 top-1/2 h-px bg-border-strong" />
      {recording.hits.slice(0, 500).map((hit) => (
        <span
          key={hit.triggered_ns}
          className={cn("absolute top-0 h-4 w-0.5 -translate-x-px", hit.change === "new" ? "bg-error" : "bg-accent")}
          style={{ left: place(hit.triggered_at) }}
        >
          {judgement && <JudgementMark judgement={judgement} className="absolute top-0 left-1/2 -translate-x-1/2" />}
        </span>
      ))}
      {recording.lost?.map((hit) => (
        <span
          key={hit.triggered_ns}
          className="absolute top-1 h-2 w-0.5 -translate-x-px border-l border-dashed border-subtle"
          style={{ left: place(hit.triggered_at) }}
        >
          {judgement && <JudgementMark judgement={judgement} className="absolute -top-1 left-1/2 -translate-x-1/2" />}
        </span>
      ))}
    </span>
  );
}

function Plot({
  recording,
  condition,
  onThresholdChange,
}: {
  recording: PreviewedRecording;
  condition: ConditionDraft;
  onThresholdChange?: (value: number) => void;
}) {
  const leaf = plottedLeaf(condition);
  const [from, to] = [parseDateTimeNs(recording.started_at), parseDateTimeNs(recording.ended_at)];
  const first = recording.hits[0];
  return (
    <div className="flex flex-col gap-2 pb-3">
      {leaf && from !== null && to !== null ? (
        <SeriesPlot
          recordingUid={recording.recording_id}
          topic={leaf.topic ?? ""}
          field={leaf.field ?? ""}
          fromNs={from}
          toNs={to}
          height={160}
          thresholds={thresholdValues(leaf).map((value) => ({ value, severity: "error" as const }))}
          bands={recording.hits.slice(0, maxBands).flatMap(hitBands)}
          onThresholdChange={leaf === condition ? onThresholdChange : undefined}
        />
      ) : (
        <p className="text-table text-muted">This condition has no single field to plot.</p>
      )}
      <div>
        <ButtonLink
          size="sm"
          href={recordingHref(recording.recording_id, {
            ...(first && { t: first.triggered_at }),
            ...(leaf && { plots: [plotPath(leaf)], topic: leaf.topic }),
          })}
        >
          Open recording
        </ButtonLink>
      </div>
    </div>
  );
}

function Result({ recording }: { recording: PreviewedRecording }) {
  if (recording.status === "error") return <span className="text-critical-text">Error</span>;
  if (recording.status === "not_applicable") return <span className="text-subtle">Not applicable</span>;
  return (
    <span className={recording.hit_count === 0 ? "text-subtle" : undefined}>{plural(recording.hit_count, "hit")}</span>
  );
}

/**
 * The recordings of a preview, those with hits first, each with its hits along its length; press one to see the plot.
 */
export function PreviewRecordings({
  preview,
  judged,
  condition,
  onThresholdChange,
}: {
  preview: Preview;
  judged: Judgements;
  condition: ConditionDraft;
  onThresholdChange?: (value: number) => void;
}) {
  const [open, setOpen] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const sorted = [...preview.recordings].sort((a, b) => Number(b.hit_count > 0) - Number(a.hit_count > 0));
  const opened =
    open ??
    sorted.find(({ hit_count }) => hit_count > 0)?.recording_id ??
    (sorted.length === 1 ? sorted[0]?.recording_id : undefined);
  if (sorted.length === 0) return <p className="text-table text-muted">No past recording is in scope.</p>;
  return (
    <div>
      <ul className="border-t">
        {(all ? sorted : sorted.slice(0, shownFirst)).map((recording) => {
          const isOpen = opened === recording.recording_id;
          const judgement = judged.get(recording.recording_id);
          return (
            <li key={recording.recording_id} className="border-b">
              <button
                type="button"
                aria-expanded={isOpen}
                className="grid min-h-9 w-full grid-cols-[1rem_minmax(0,1fr)_minmax(0,1fr)_10rem] items-center gap-3 rounded-control text-left text-table hover:bg-hover max-sm:grid-cols-[1rem_minmax(0,1fr)_9rem]"
                onClick={() => setOpen(isOpen ? "" : recording.recording_id)}
              >
                <ChevronRight
                  aria-hidden
                  className={cn("size-4 text-subtle transition-transform", isOpen && "rotate-90")}
                />
                <span className="min-w-0 truncate">
                  {getTitle(recording)}
                  <span className="text-subtle"> · {recording.device_name} · </span>
                  <RelativeTime value={recording.started_at} rich={false} className="text-subtle" />
                </span>
                <span className="max-sm:hidden">
                  <HitTicks recording={recording} judgement={judgement} />
                </span>
                <span className="flex items-center justify-end gap-2 text-right whitespace-nowrap tabular-nums">
                  {judgement && <JudgementLabel judgement={judgement} />}
                  {recording.storm && <Badge>Storm</Badge>}
                  <Result recording={recording} />
                </span>
              </button>
              {isOpen && recording.reason && <p className="pb-2 pl-7 text-table text-muted">{recording.reason}</p>}
              {isOpen && recording.status === "evaluated" && (
                <>
                  <Plot recording={recording} condition={condition} onThresholdChange={onThresholdChange} />
                  {recording.hits.length > 0 && (
                    <ol className="sr-only">
                      {recording.hits.map((hit) => (
                        <li key={hit.triggered_ns}>
                          Triggered at <InstantTime value={hit.triggered_at} precision="millisecond" />
                        </li>
                      ))}
                    </ol>
                  )}
                </>
              )}
            </li>
          );
        })}
      </ul>
      {!all && sorted.length > shownFirst && (
        <Button size="sm" className="mt-2" onClick={() => setAll(true)}>
          Show all {sorted.length} recordings
        </Button>
      )}
    </div>
  );
}
