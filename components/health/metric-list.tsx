"use client";

import { Suspense } from "react";
import { Badge } from "@/components/kit/badge";
import { EmptyState } from "@/components/kit/empty-state";
import { formatNumber } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { None } from "@/components/kit/none";
import { PageHeader } from "@/components/kit/page-header";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { formatMetric } from "@/domain/health/meanings";
import { heartbeatCommand } from "./heartbeat-command";
import { describeBounds, kindTexts } from "./metric-texts";
import { metricInput, type Metric } from "./query";

// Loaded when a metric is opened.
const MeaningDialog = lazyDialog(async () => (await import("./meaning-dialog")).MeaningDialog);

const columns: readonly DataTableColumn<Metric>[] = [
  {
    id: "label",
    header: "Metric",
    minWidth: 200,
    required: true,
    narrow: "title",
    cell: ({ label, guessed }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Truncate text={label} />
        {guessed && <Badge className="shrink-0">Guessed</Badge>}
      </span>
    ),
  },
  {
    id: "name",
    header: "Name",
    width: 220,
    narrow: "meta",
    cell: ({ name }) => <Truncate text={name} className="font-mono" />,
  },
  {
    id: "sample",
    header: "A value",
    width: 120,
    align: "right",
    narrow: "trailing",
    cell: (metric) =>
      metric.sample === null ? (
        <None />
      ) : (
        <Truncate text={formatMetric(metric.sample, metric)} className="tabular-nums" />
      ),
  },
  { id: "kind", header: "Kind", width: 140, cell: ({ kind }) => kindTexts[kind] },
  { id: "unit", header: "Unit", width: 72, cell: ({ unit }) => (unit === "" ? <None /> : unit) },
  {
    id: "bounds",
    header: "Bounds",
    width: 300,
    narrow: "meta",
    cell: (metric) => {
      const text = describeBounds(metric);
      return text === null ? <None /> : <Truncate text={text} />;
    },
  },
  {
    id: "devices",
    header: "Devices",
    width: 88,
    align: "right",
    cell: ({ devices }) => formatNumber(devices, 0),
  },
];

/** The metrics that devices send, and what they mean. */
export function MetricList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const list = useListPage({
    definitions: [],
    textKey: "search",
    query: (values) => trpc.health.metrics.infiniteQueryOptions(metricInput(values), nextPage),
    probe: (values) => trpc.health.metrics.queryOptions({ ...metricInput(values), limit: 1 }),
  });
  return (
    <>
      <PageHeader title="Health" meta="What devices say in their heartbeats, and what it means." />
      <ListTable
        {...list.table}
        list={list}
        id="metrics"
        label="Metrics"
        noun={["metric", "metrics"]}
        columns={columns}
        filterBar={{ label: "Filter metrics", placeholder: "Filter by name" }}
        rowLabel={({ label }) => label}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No metrics yet"
            description="A heartbeat may say how a robot is: its battery, temperatures, free disk, mode, and whatever else it knows. All of it is kept over time; what it means is guessed by its name, and can be said here."
            curl={{ command: heartbeatCommand(origin), guide: guideHref("health") }}
          />
        }
      />
      <Suspense>
        {list.selectedRow && (
          <MeaningDialog key={list.selectedRow.name} metric={list.selectedRow} onClose={() => list.select(null)} />
        )}
      </Suspense>
    </>
  );
}
