"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleHelp, CircleSlash, TriangleAlert, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { Switch } from "@/components/kit/switch";
import { PanelError } from "@/components/product/panel-error";
import { describeAge } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { isDiagnosticSchema, type DiagnosticLevel } from "@/engine/messages/texts/diagnostic-status";
import type { TimedStatus } from "@/engine/messages/texts/diagnostics";

/** Seconds after which the last status of a part says little about the moment. */
const staleAge = 5;

const looks: Record<DiagnosticLevel, { label: string; Icon: LucideIcon; className: string }> = {
  ok: { label: "OK", Icon: CircleCheck, className: "text-online-text" },
  warning: { label: "Warning", Icon: TriangleAlert, className: "text-warning-text" },
  error: { label: "Error", Icon: CircleAlert, className: "text-critical-text" },
  stale: { label: "Stale", Icon: CircleSlash, className: "text-subtle" },
};
const unknownLook = { label: "Unknown level", Icon: CircleHelp, className: "text-muted" };

/** The state that every part of the robot reported last at the playhead. */
export default function DiagnosticsPanel() {
  const [all, setAll] = useState(false);
  return <DiagnosticStatuses all={all} onAll={setAll} />;
}

/** The same where what is shown is kept elsewhere; the worst come first. `all`: also those that are in order. */
export function DiagnosticStatuses({ all, onAll }: { all: boolean; onAll: (all: boolean) => void }) {
  const { axis, recording, session } = useTimeline();
  const topics = recording.topics.filter(({ schema }) => isDiagnosticSchema(schema)).map(({ name }) => name);
  const at = axis.ns(useDebouncedPlayhead(axis, 200));
  const query = useQuery({
    queryKey: ["recording-diagnostics", recording.uid, topics, String(at)],
    queryFn: () => session.readDiagnostics(topics, at),
    enabled: topics.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 30_000,
  });
  if (topics.length === 0)
    return <p className="p-4 text-table text-muted">This recording holds no diagnostics that can be read.</p>;
  if (query.error && !query.data)
    return (
      <PanelError error={query.error} title="The diagnostics could not be read" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <SkeletonText lines={6} className="p-3" />;
  const { statuses, unreadable, unread } = query.data;
  const bad = statuses.filter(({ level }) => level !== "ok");
  return (
    <div className="flex flex-col gap-2 p-3">
      {statuses.length === 0 ? (
        <p className="text-table text-muted">No part reported its state in the minute before the playhead.</p>
      ) : (
        <Switch
          checked={all}
          onCheckedChange={onAll}
          label={`${plural(bad.length, "problem")} in ${plural(statuses.length, "part")}; show all`}
        />
      )}
      <ul aria-label="Diagnostics" className="flex flex-col">
        {(all ? statuses : bad).map((status) => (
          <li key={`${status.topic} ${status.name}`} className="border-t first:border-t-0">
            <Part status={status} at={at} />
          </li>
        ))}
      </ul>
      {unreadable > 0 && (
        <p className="text-meta text-warning-text">
          {plural(unreadable, "message")} could not be read.{" "}
          {unread && <UnshownMessage reason={unread.reason} message={unread} />}
        </p>
      )}
    </div>
  );
}

function Part({ status, at }: { status: TimedStatus; at: bigint }) {
  const { level, name, text, hardwareId, values, time } = status;
  const { label, Icon, className } = level === null ? unknownLook : looks[level];
  const age = Number(at - time) / 1e9;
  return (
    <details>
      <summary className="flex cursor-pointer items-baseline gap-2 rounded-control py-1 -outline-offset-2! hover:bg-hover">
        <Icon aria-hidden className={cn("size-4 shrink-0 self-center", className)} />
        <span className="sr-only">{label}:</span>
        <span className="min-w-0 flex-1 text-table wrap-anywhere">
          {name || "Without a name"}
          <span className="block text-meta text-muted">{text}</span>
        </span>
        <span className={cn("shrink-0 text-meta tabular-nums", age > staleAge ? "text-warning-text" : "text-subtle")}>
          {describeAge(age)}
        </span>
      </summary>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 pb-2 pl-6 font-mono text-meta wrap-anywhere">
        {hardwareId && (
          <>
            <dt className="text-subtle">hardware_id</dt>
            <dd>{hardwareId}</dd>
          </>
        )}
        {values.map(({ key, value }, index) => (
          <div key={`${key} ${index}`} className="contents">
            <dt className="text-subtle">{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {values.length === 0 && !hardwareId && <dd className="col-span-2 text-subtle">No values</dd>}
      </dl>
    </details>
  );
}
