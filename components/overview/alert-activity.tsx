"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Suspense, useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Button } from "@/components/kit/button";
import { lazyPart } from "@/components/kit/lazy-part";
import { Section } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { activityRanges } from "@/domain/overview/groupings";
import { ActivityTable } from "./activity-table";
import { NoisyRules } from "./noisy-rules";
import { refreshMs } from "./query";

// The chart library is large, so it is loaded after the page.
const AlertChart = lazyPart(async () => (await import("./alert-chart")).AlertChart, { className: "h-52" });

const spans = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" } as const;

/** Alerts over time by severity, and beside it the rules that raise most of them. */
export function AlertActivity() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const [range, setRange] = useQueryState(
    "range",
    parseAsStringLiteral(activityRanges).withDefault("7d").withOptions({ history: "push" }),
  );
  const [table, setTable] = useState(false);
  const query = useQuery({
    ...trpc.overview.activity.queryOptions({ ...shown, range }),
    placeholderData: keepPreviousData,
    refetchInterval: 2 * refreshMs,
  });
  const { data } = query;
  const total =
    data?.buckets.reduce((sum, each) => sum + each.info + each.warning + each.error + each.critical, 0) ?? 0;
  return (
    <div className="grid gap-x-12 gap-y-10 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Section
        title="Alerts over time"
        description={
          data
            ? `${data.capped ? "More than " : ""}${total.toLocaleString("en-US")} in the last ${spans[range]}, by when they triggered`
            : undefined
        }
        actions={
          <div className="flex items-center gap-2">
            <Button size="sm" variant="ghost" aria-pressed={table} onClick={() => setTable(!table)}>
              {table ? "Show as chart" : "Show as table"}
            </Button>
            <RadioGroup
              layout="segments"
              aria-label="Time span"
              value={range}
              onValueChange={(next) => void setRange(next)}
              options={activityRanges.map((value) => ({ value, label: value.replace("h", " h").replace("d", " d") }))}
            />
          </div>
        }
      >
        {query.error && !data ? (
          <ErrorState error={query.error} title="The alerts could not be loaded" onRetry={() => void query.refetch()} />
        ) : !data ? (
          <Skeleton className="h-52" />
        ) : table ? (
          <ActivityTable activity={data} />
        ) : total === 0 ? (
          <p className="flex h-52 items-center justify-center border-y text-table text-subtle">
            No alert triggered in the last {spans[range]}.
          </p>
        ) : (
          <Suspense fallback={<Skeleton className="h-52" />}>
            <AlertChart activity={data} />
          </Suspense>
        )}
      </Section>
      <NoisyRules rules={data?.rules} span={spans[range]} />
    </div>
  );
}
