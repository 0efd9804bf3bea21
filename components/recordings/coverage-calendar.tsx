"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { withDemoFilter } from "@/components/demo-fleet/demo-preference";
import { Button } from "@/components/kit/button";
import { useNow } from "@/components/kit/clock";
import type { Filters } from "@/components/kit/filters";
import { IconButton } from "@/components/kit/icon-button";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { SkeletonText } from "@/components/kit/skeleton";
import { filterInput, nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { coverageSize } from "@/domain/recordings/schema";
import { severities } from "@/domain/severity";
import { listDays, readDate, shiftDate } from "./calendar-days";
import { CoverageGrid, hourShades } from "./coverage-grid";
import { formatCovered } from "./covered-time";

interface CoverageCalendarProps {
  /** The last day shown, `2026-11-24`; anything else is today. */
  last: string;
  onLast: (date: string) => void;
  /** Of the list below, which presses and brushes narrow. */
  filters: Filters;
  onClose: () => void;
}

const minute = 60_000;

/** What devices recorded on each day of four weeks, with the alerts of these days. */
export function CoverageCalendar({ last, onLast, filters, onClose }: CoverageCalendarProps) {
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const now = useNow(minute);
  const today = listDays(now, zone).dates.at(-1) ?? "";
  const days = listDays(Math.min(readDate(last, zone) ?? now, now), zone);
  const shown = days.dates.at(-1) ?? today;
  // A device that was pressed here narrows the list, and leaves the others in the calendar.
  const [pressed, setPressed] = useState<string | null>(null);
  const { device_id } = filters.values;
  const narrow = withDemoFilter({ device_id: device_id === pressed ? null : device_id }, useDemoFilter());
  const query = useInfiniteQuery({
    ...trpc.recordings.coverage.infiniteQueryOptions(
      {
        bounds: days.bounds.map((bound) => new Date(bound).toISOString()),
        ...filterInput(["device_id", "demo"], narrow),
      },
      nextPage,
    ),
    placeholderData: keepPreviousData,
  });
  const choose = (device: string, from: number, to: number) => {
    setPressed(device);
    filters.set("device_id", device);
    // What runs over a midnight is counted on both days, so that days are what recordings cover, not when they began.
    filters.set("covers", formatCovered(days.bounds[from] ?? now, days.bounds[to + 1] ?? now));
    filters.set("started_since", null);
    filters.set("started_until", null);
  };
  const devices = query.data?.pages.flatMap(({ results }) => results);
  return (
    <section aria-label="Coverage" className="flex max-h-1/2 shrink-0 flex-col border-y">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 sm:px-6">
        <h2 className="text-table font-medium">Hours recorded a day</h2>
        <span className="text-meta text-muted tabular-nums">
          {days.dates[0]} to {shown}
        </span>
        <span className="flex">
          <IconButton
            label="Four weeks earlier"
            icon={<ChevronLeft aria-hidden />}
            onClick={() => onLast(shiftDate(shown, -coverageSize.days))}
          />
          <IconButton
            label="Four weeks later"
            icon={<ChevronRight aria-hidden />}
            disabledReason={shown === today ? "The last day shown is today." : undefined}
            onClick={() => onLast(shiftDate(shown, coverageSize.days))}
          />
        </span>
        <Legend />
        <span className="ml-auto">
          <IconButton label="Close the calendar" icon={<X aria-hidden />} onClick={onClose} />
        </span>
      </div>
      <div className="min-h-0 overflow-auto px-4 pb-2 sm:px-6">
        {query.error && !devices ? (
          <ErrorState
            error={query.error}
            title="The coverage could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : devices === undefined ? (
          <SkeletonText lines={4} />
        ) : devices.length === 0 ? (
          <p className="py-2 text-table text-muted">No device to show.</p>
        ) : (
          <CoverageGrid devices={devices} dates={days.dates} onChoose={choose} />
        )}
        {query.hasNextPage && (
          <Button size="sm" className="mt-2" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            More devices
          </Button>
        )}
      </div>
    </section>
  );
}

/** What shades and shapes mean. */
function Legend() {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-muted max-sm:hidden">
      <span className="flex items-center gap-1">
        {hourShades.map(({ below, shade }) => (
          <span key={below} aria-hidden className={`size-3 rounded-control ${shade}`} />
        ))}
        fewer to more hours
      </span>
      {severities.toReversed().map((severity) => (
        <SeverityStatus key={severity} severity={severity} className="gap-1" />
      ))}
    </span>
  );
}
