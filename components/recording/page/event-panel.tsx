"use client";

import Link from "next/link";
import { useEffect, useRef } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Shape } from "@/components/kit/shape";
import { exactLabel } from "@/components/plots/axis-labels";
import { eventLooks } from "@/components/product/event-type";
import { SeverityStatus } from "@/components/product/status";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";

/**
 * Events in order of time, the one at the playhead marked; alerts and what rules found below. All lead to their moment.
 */
export default function EventPanel() {
  const { axis, events, lanes, createEvent, readOnly, reason } = useTimeline();
  const { zone } = useTimeZone();
  const playhead = useDebouncedPlayhead(axis);
  const current = useRef<HTMLLIElement>(null);
  const list = events?.events ?? [];
  const at = list.findLastIndex((event) => axis.seconds(BigInt(event.at_ns)) <= playhead + 1e-6);
  useEffect(() => {
    const item = current.current;
    const box = item?.closest("[data-scrolls]");
    if (!item || !box || box.contains(document.activeElement)) return;
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
  }, [at]);
  const line =
    "flex w-full min-w-0 items-center gap-2 px-4 py-1.5 text-left text-table hover:bg-hover -outline-offset-2!";
  return (
    <div className="pb-6">
      {!readOnly && (
        <div className="px-4 py-2">
          <Button size="sm" disabledReason={reason} onClick={() => createEvent(axis.playhead ?? 0)}>
            Create event at playhead
          </Button>
        </div>
      )}
      {events?.buckets && (
        <p className="px-4 py-2 text-table text-muted">
          {plural(events.total, "event")} in view, too many to list. Zoom in to see each.
        </p>
      )}
      {events && !events.buckets && list.length === 0 && (
        <p className="px-4 py-2 text-table text-muted">
          No events in view.{" "}
          {!readOnly && !reason && "Press e to create one at the playhead, or drag over the Events lane."}
        </p>
      )}
      <ol aria-label="Events in view">
        {list.map((event, index) => (
          <li
            key={event.uid}
            ref={index === at ? current : undefined}
            aria-current={index === at || undefined}
            className={cn(index === at && "bg-selected")}
          >
            <button type="button" className={line} onClick={() => axis.play(axis.seconds(BigInt(event.at_ns)))}>
              <Shape name={eventLooks[event.type].shape} className={eventLooks[event.type].className} />
              <span className="sr-only">
                {eventLooks[event.type].label}, {event.severity}:{" "}
              </span>
              <span className="min-w-0 flex-1 truncate" title={event.label}>
                {event.label}
              </span>
              {event.duration_ns !== null && (
                <span className="text-meta text-subtle tabular-nums">
                  {formatDuration(Number(event.duration_ns) / 1e6)}
                </span>
              )}
              <span className="text-meta text-muted tabular-nums">
                {exactLabel(axis, axis.seconds(BigInt(event.at_ns)), zone)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {lanes && lanes.alerts.length > 0 && (
        <section aria-label="Alerts of this recording" className="mt-3">
          <h3 className="px-4 py-1 text-meta font-medium text-muted">Alerts</h3>
          <ul>
            {lanes.alerts.map((alert) => (
              <li key={alert.uid} className="flex min-w-0 items-center pr-4">
                <button
                  type="button"
                  className={line}
                  onClick={() => axis.play(axis.seconds(BigInt(alert.ranges[0]?.from_ns ?? 0)))}
                >
                  <SeverityStatus severity={alert.severity} />
                  <span className="min-w-0 flex-1 truncate" title={alert.message}>
                    {alert.rule_name}
                  </span>
                </button>
                <Link href={`/alerts/${alert.uid}`} className="text-meta text-accent-text underline underline-offset-2">
                  Open<span className="sr-only"> the alert of {alert.rule_name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {lanes?.rules.map((rule) => (
        <section key={rule.rule_id} aria-label={`Hits of ${rule.rule_name}`} className="mt-3">
          <h3 className="px-4 py-1 text-meta font-medium text-muted">
            {rule.rule_name}, {plural(rule.hit_count, "hit")}
          </h3>
          <ul>
            {rule.hits.slice(0, 50).map((hit) => (
              <li key={hit.at_ns}>
                <button type="button" className={line} onClick={() => axis.play(axis.seconds(BigInt(hit.at_ns)))}>
                  <span className="text-muted tabular-nums">
                    {exactLabel(axis, axis.seconds(BigInt(hit.at_ns)), zone)}
                  </span>
                  <span className="text-meta text-subtle tabular-nums">
                    for {formatDuration(Number(BigInt(hit.to_ns) - BigInt(hit.at_ns)) / 1e6)}
                  </span>
                  {hit.peak !== null && (
                    <span className="text-meta text-subtle tabular-nums">peak {formatNumber(hit.peak)}</span>
                  )}
                </button>
              </li>
            ))}
          </ul>
          {rule.hit_count > 50 && <p className="px-4 text-meta text-subtle">The first 50 are listed.</p>}
        </section>
      ))}
    </div>
  );
}
