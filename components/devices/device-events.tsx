"use client";

import { TagsCell } from "@/components/kit/badge";
import { EmptyState } from "@/components/kit/empty-state";
import { Duration } from "@/components/kit/measure";
import { Shape, type ShapeName } from "@/components/kit/shape";
import { InstantTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Event = Outputs["events"]["list"]["results"][number];

const looks: Record<Event["type"], { shape: ShapeName; className: string; label: string }> = {
  error: { shape: "disc", className: "text-critical", label: "Error" },
  warning: { shape: "triangle", className: "text-warning", label: "Warning" },
  info: { shape: "disc", className: "text-info", label: "Info" },
  state_change: { shape: "diamond", className: "text-maintenance", label: "State change" },
  anomaly: { shape: "star", className: "text-error", label: "Anomaly" },
  custom: { shape: "square", className: "text-subtle", label: "Custom" },
};

const sources: Record<Event["source"], string> = { user: "Person", api_key: "API key", device: "Device", rule: "Rule" };

function EventType({ type }: { type: Event["type"] }) {
  const { shape, className, label } = looks[type];
  return (
    <span className="inline-flex items-center gap-1.5 align-middle">
      <Shape name={shape} className={className} />
      {label}
    </span>
  );
}

const columns: readonly DataTableColumn<Event>[] = [
  {
    id: "timestamp",
    header: "Time",
    width: 232,
    narrow: "meta",
    cell: (event) => <InstantTime value={event.timestamp} precision="millisecond" />,
  },
  {
    id: "label",
    header: "Event",
    minWidth: 200,
    required: true,
    narrow: "title",
    cell: (event) => <Truncate text={event.label} />,
  },
  { id: "type", header: "Type", width: 132, narrow: "meta", cell: (event) => <EventType type={event.type} /> },
  {
    id: "severity",
    header: "Severity",
    width: 112,
    narrow: "leading",
    cell: (event) => <SeverityStatus severity={event.severity} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 104,
    align: "right",
    cell: (event) => <Duration ms={event.duration_ms} />,
  },
  { id: "tags", header: "Tags", minWidth: 120, cell: (event) => <TagsCell tags={event.tags} max={3} /> },
  { id: "source", header: "Source", width: 104, cell: (event) => sources[event.source] },
];

/** What happened on the device's recordings, by the time of the messages, newest first. */
export function DeviceEvents({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { table } = useListQuery(
    trpc.events.list.infiniteQueryOptions({ device_id: uid, order_by: "-timestamp" }, nextPage),
  );
  return (
    <DataTable
      id="device-events"
      label="Events"
      noun={["event", "events"]}
      columns={columns}
      {...table}
      rowKey={(event) => event.uid}
      rowLabel={(event) => event.label}
      toolbar={<TableNote>Moments marked on its recordings, by message time, newest first.</TableNote>}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No events yet"
          description="Events mark moments in recordings. Rules create them, and so can the device and the people who look at its data."
        />
      }
    />
  );
}
