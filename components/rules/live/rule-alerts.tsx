"use client";

import { alertColumns } from "@/components/alerts/alert-columns";
import { statusLabels } from "@/components/alerts/labels";
import { EmptyState } from "@/components/kit/empty-state";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Alert = Outputs["alerts"]["ofRule"]["results"][number];

const columns: readonly DataTableColumn<Alert>[] = [
  alertColumns.severity,
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
  alertColumns.count,
  alertColumns.triggeredAt,
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
