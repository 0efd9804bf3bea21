"use client";

import { useState } from "react";
import { heartbeatCommand } from "@/components/health/heartbeat-command";
import { MetricValue } from "@/components/health/metric-value";
import { SparkLine } from "@/components/health/spark-line";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { RelativeTime } from "@/components/kit/time";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { Status, type Tone } from "@/components/product/status";
import { guideHref } from "@/domain/docs/guides";
import type { Judgement } from "@/domain/health/meanings";
import { findPlaceNames } from "@/domain/health/place";
import type { DeviceNow, MetricNow } from "../query";

/** Cards before the others are asked for. */
const shown = 6;

interface MetricCardsProps {
  uid: string;
  now: DeviceNow;
  /** Opens the chart of a metric. */
  onOpen: (name: string) => void;
}

/** What a device says of itself, a card a metric; of a device that says nothing, how it would. */
export function MetricCards({ uid, now, onOpen }: MetricCardsProps) {
  const [all, setAll] = useState(false);
  const place = findPlaceNames(now.metrics.map(({ name }) => name));
  // The place has a map of its own.
  const metrics = now.metrics.filter(({ name }) => name !== place?.north && name !== place?.east);
  if (now.metrics.length === 0) return <NoMetrics uid={uid} />;
  return (
    <>
      <ul aria-label="Metrics now" className="grid grid-cols-2 gap-2 sm:grid-cols-3 sm:gap-3">
        {metrics.slice(0, all ? undefined : shown).map((metric) => (
          <li key={metric.name} className="min-w-0">
            <MetricCard metric={metric} since={now.since} onOpen={() => onOpen(metric.name)} />
          </li>
        ))}
      </ul>
      {metrics.length > shown && (
        <Button size="sm" className="mt-3" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show the first six" : `Show all ${metrics.length}`}
        </Button>
      )}
    </>
  );
}

const ranges: Readonly<Partial<Record<Judgement, { tone: Tone; shape?: "check"; text: string }>>> = {
  good: { tone: "online", shape: "check", text: "In range" },
  warning: { tone: "warning", text: "Out of range" },
  critical: { tone: "critical", text: "Critical" },
};

function MetricCard({ metric, since, onOpen }: { metric: MetricNow; since: string; onOpen: () => void }) {
  const range = ranges[metric.judgement];
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onOpen}
      className="flex h-28 w-full min-w-0 flex-col rounded-panel border bg-surface p-3 text-left transition-colors hover:bg-hover"
    >
      <span className="w-full truncate text-meta text-muted" title={metric.label}>
        {metric.label}
      </span>
      {metric.text === null ? (
        <span className="text-table text-subtle">Not in the last heartbeat</span>
      ) : (
        <MetricValue text={metric.text} className="w-full truncate text-title font-semibold" />
      )}
      <span className="h-4 text-meta">
        {range ? (
          <Status tone={range.tone} shape={range.shape}>
            {range.text}
          </Status>
        ) : (
          metric.changed_at && (
            <span className="text-subtle">
              since <RelativeTime value={metric.changed_at} rich={false} />
            </span>
          )
        )}
      </span>
      <SparkLine
        since={since}
        points={metric.points ?? []}
        label={`${metric.label} over the last 24 h`}
        stretch
        className="mt-auto h-6 w-full"
      />
    </button>
  );
}

function NoMetrics({ uid }: { uid: string }) {
  const origin = useOrigin();
  return (
    <div className="flex flex-col gap-3 rounded-panel border bg-surface p-4">
      <div>
        <h3 className="text-table font-semibold">It sends no metrics</h3>
        <p className="text-table text-muted">
          A heartbeat may say how the robot is: its battery, temperatures, free disk, mode. What it sends is kept and
          drawn here. Its token was shown when it was registered; the menu above rotates it.{" "}
          <DocsTextLink href={guideHref("health")}>What heartbeats say</DocsTextLink>
        </p>
      </div>
      <CodeBlock code={heartbeatCommand(origin, uid)} label="curl" />
    </div>
  );
}
