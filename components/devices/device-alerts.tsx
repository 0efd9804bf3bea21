"use client";

import { alertColumns } from "@/components/alerts/alert-columns";
import { statusLabels } from "@/components/alerts/labels";
import { EmptyState } from "@/components/kit/empty-state";
import { None } from "@/components/kit/none";
import { Tooltip } from "@/components/kit/tooltip";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Alert = Outputs["fleet"]["alerts"]["results"][number];

/** The state, and in the tooltip by whom. */
function AlertState({ alert }: { alert: Alert }) {
  const by =
    alert.status === "acknowledged" ? alert.acknowledged_by : alert.status === "resolved" ? alert.resolved_by : null;
  const status = (
    <span className={alert.status === "open" ? "font-medium" : "text-muted"}>
      {statusLabels[alert.status]}
      {alert.silenced && ", silenced"}
    </span>
  );
  return by === null ? status : <Tooltip content={`By ${by}`}>{status}</Tooltip>;
}

const columns: readonly DataTableColumn<Alert>[] = [
  alertColumns.severity,
  {
    id: "message",
    header: "Alert",
    minWidth: 240,
    required: true,
    narrow: "title",
    cell: (alert) => <Truncate text={alert.message || alert.rule_name} />,
  },
  { id: "rule", header: "Rule", width: 168, cell: (alert) => <Truncate text={alert.rule_name} /> },
  { id: "status", header: "State", width: 152, narrow: "meta", cell: (alert) => <AlertState alert={alert} /> },
  alertColumns.count,
  {
    id: "assignee",
    header: "Assignee",
    width: 120,
    cell: (alert) => (alert.assignee ? <Truncate text={alert.assignee} /> : <None />),
  },
  alertColumns.triggeredAt,
];

/** The device's alerts, newest first, in every state. */
export function DeviceAlerts({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { table } = useListQuery(trpc.fleet.alerts.infiniteQueryOptions({ uid }, nextPage));
  return (
    <DataTable
      id="device-alerts"
      label="Alerts"
      noun={["alert", "alerts"]}
      columns={columns}
      {...table}
      rowKey={(alert) => alert.uid}
      rowLabel={(alert) => alert.message}
      toolbar={<TableNote>Its alerts in every state, the last triggered first.</TableNote>}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No alerts"
          description="Alerts open when a rule finds something in the device's recordings, or when the device stops sending heartbeats."
        />
      }
    />
  );
}
