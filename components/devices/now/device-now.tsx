"use client";

import { parseAsString, useQueryState } from "nuqs";
import { Suspense } from "react";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { PageBody, Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import type { Device, DeviceNow as Now } from "../query";
import { DeviceFacts } from "./device-facts";
import { DevicePlace } from "./device-place";
import { MetricCards } from "./metric-cards";
import { NewestPicture } from "./newest-picture";
import { OpenAlerts } from "./open-alerts";
import { RecentChanges } from "./recent-changes";

// Loaded when a card is opened, because it brings the library of plots.
const ChartDialog = lazyDialog(async () => (await import("./chart-dialog")).ChartDialog);

interface DeviceNowProps {
  device: Device;
  query: { data: Now | undefined; error: unknown; refetch: () => Promise<unknown> };
}

/** How a robot is now: what it says of itself, what is open, what changed, what it saw last and where it is. */
export function DeviceNow({ device, query }: DeviceNowProps) {
  const { data: now } = query;
  const [chart, setChart] = useQueryState("chart", parseAsString.withOptions({ history: "push" }));
  const isKnown = chart !== null && now?.metrics.some(({ name }) => name === chart);
  return (
    <PageBody className="grid gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)] lg:items-start">
      {/* First for those who read on, and on phones; beside what it saw where there is room. */}
      <div className="flex min-w-0 flex-col gap-8 lg:col-start-2 lg:row-start-1">
        <Section
          title="Health"
          description={
            device.last_seen_at !== null && (
              <>
                As its last heartbeat said, <RelativeTime value={device.last_seen_at} rich={false} />
              </>
            )
          }
        >
          {now ? (
            <MetricCards uid={device.uid} now={now} onOpen={(name) => void setChart(name)} />
          ) : query.error ? (
            <ErrorState
              error={query.error}
              title="How it is could not be loaded"
              onRetry={() => void query.refetch()}
            />
          ) : (
            <Skeleton className="h-60" />
          )}
        </Section>
        <div className="grid gap-x-10 gap-y-8 xl:grid-cols-2">
          <OpenAlerts uid={device.uid} />
          <RecentChanges uid={device.uid} />
        </div>
      </div>
      <div className="flex min-w-0 flex-col gap-8 lg:col-start-1 lg:row-start-1">
        <NewestPicture uid={device.uid} />
        {now && <DevicePlace device={device} now={now} />}
        <DeviceFacts device={device} now={now} />
      </div>
      <Suspense>
        {isKnown && now && (
          <ChartDialog key={device.uid} device={device} now={now} first={chart} onClose={() => void setChart(null)} />
        )}
      </Suspense>
    </PageBody>
  );
}
