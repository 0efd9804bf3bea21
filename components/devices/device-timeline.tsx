"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { Button } from "@/components/kit/button";
import { formatInstant } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { PageBody, Section } from "@/components/kit/page-header";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { TimelineLanes } from "./timeline-lanes";
import { TimelineList } from "./timeline-list";
import { useTimelineWindow } from "./timeline-window";

/** What a device recorded and what happened to it: a week, or the selected range. */
export function DeviceTimeline({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const { window, chosen, show, reset } = useTimelineWindow();
  const query = useQuery({
    ...trpc.fleet.timeline.queryOptions({
      uid,
      from: new Date(window.from).toISOString(),
      to: new Date(window.to).toISOString(),
    }),
    placeholderData: keepPreviousData,
  });
  const span = window.to - window.from;
  const pan = (share: number) => show({ from: window.from + share * span, to: window.to + share * span });
  const zoom = (factor: number) =>
    show({ from: window.from + (span - span * factor) / 2, to: window.to - (span - span * factor) / 2 });
  return (
    <PageBody className="gap-6">
      <Section
        title={chosen ? "Selected period" : "The last 7 days"}
        description={
          <span className="tabular-nums">
            {formatInstant(window.from, zone, "minute")} to {formatInstant(window.to, zone, "minute")}
          </span>
        }
        actions={
          <div className="flex items-center gap-1">
            {chosen && (
              <Button size="sm" onClick={reset} className="mr-1">
                Last 7 days
              </Button>
            )}
            <IconButton size="sm" label="Earlier" icon={<ChevronLeft aria-hidden />} onClick={() => pan(-0.5)} />
            <IconButton size="sm" label="Later" icon={<ChevronRight aria-hidden />} onClick={() => pan(0.5)} />
            <IconButton size="sm" label="Zoom in" icon={<ZoomIn aria-hidden />} onClick={() => zoom(0.5)} />
            <IconButton size="sm" label="Zoom out" icon={<ZoomOut aria-hidden />} onClick={() => zoom(2)} />
          </div>
        }
      >
        {query.error && !query.data ? (
          <ErrorState
            error={query.error}
            title="The timeline could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : query.data ? (
          <TimelineLanes timeline={query.data} window={window} onBrush={show} />
        ) : (
          <Skeleton className="h-44" />
        )}
      </Section>
      {query.data && <TimelineList timeline={query.data} />}
    </PageBody>
  );
}
