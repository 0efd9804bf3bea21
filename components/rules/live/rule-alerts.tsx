"use client";

import { EmptyState } from "@/components/kit/empty-state";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Alert = Outputs["alerts"]["ofRule"]["results"][number];

const statusLabels: Record<Alert["status"], string> = {
  open: "Open",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
};

const columns: readonly DataTableColumn<Alert>[] = [
  {
    id: "severity",
    header: "Severity",
    width: 112,
    narrow: "leading",
    cell: (alert) => <SeverityStatus severity={alert.severity} />,
  },
  {
    id: "device",
    header: "Device",
    width: 168,
    narrow: "meta",
    cell: (alert) => <Truncate text={alert.device_name} />,
  },
  {
    id: "message",
    header: "Alert",
    minWidth: 240,
    required: true,
    narrow: "title",
    cell: (alert) => <Truncate text={alert.message} />,
  },
  { id: "status", header: "State", width: 120, narrow: "meta", cell: (alert) => statusLabels[alert.status] },
  {
    id: "count",
    header: "Times",
    width: 80,
    align: "right",
    cell: (alert) => <span className="tabular-nums">×{alert.occurrence_count}</span>,
  },
  {
    id: "triggered_at",
    header: "Triggered",
    width: 112,
    align: "right",
    narrow: "meta",
    cell: (alert) => <RelativeTime value={alert.triggered_at} rich={false} />,
  },
];

/** The alerts of a rule about heartbeats in every state, the last opened first. */
export function RuleAlerts({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { table } = useListQuery(trpc.alerts.ofRule.infiniteQueryOptions({ uid }, nextPage));
  return (
    <DataTable
      id="rule-alerts"
      label="Alerts"
      noun={["alert", "alerts"]}
      columns={columns}
      {...table}
      rowKey={(alert) => alert.uid}
      rowLabel={(alert) => `${alert.message} on ${alert.device_name}`}
      href={(alert) => `/alerts/${alert.uid}`}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No alerts yet"
          description="An alert opens here within seconds once the heartbeats of a device meet the condition."
        />
      }
    />
  );
}
