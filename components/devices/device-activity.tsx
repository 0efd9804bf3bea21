"use client";

import { EmptyState } from "@/components/kit/empty-state";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { describeAction, describeChange } from "@/components/product/activity-texts";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Entry = Outputs["audit"]["list"]["results"][number];

const actors: Readonly<Record<string, string>> = {
  api_key: "API key",
  device: "Device",
  agent: "Agent",
  system: "Muster",
};

/** Who did it: a person by name, anything else by its kind. */
const actorLabels = ({ actor_type: type, actor_name: name }: Entry): string =>
  [actors[type], type === "system" ? "" : name].filter(Boolean).join(" ");

const columns: readonly DataTableColumn<Entry>[] = [
  {
    id: "action",
    header: "What",
    width: 168,
    required: true,
    narrow: "title",
    cell: (entry) => describeAction(entry.action),
  },
  {
    id: "change",
    header: "Change",
    minWidth: 240,
    narrow: "meta",
    cell: (entry) => {
      const changes = describeChange(entry.before, entry.after).join("; ");
      return changes === "" ? <None /> : <Truncate text={changes} className="text-muted" />;
    },
  },
  {
    id: "actor",
    header: "Who",
    width: 200,
    cell: (entry) => <Truncate text={actorLabels(entry)} />,
  },
  {
    id: "ip",
    header: "Address",
    width: 136,
    cell: (entry) => (entry.ip ? <span className="font-mono text-meta">{entry.ip}</span> : <None />),
  },
  {
    id: "created_at",
    header: "When",
    width: 112,
    align: "right",
    narrow: "trailing",
    cell: (entry) => <RelativeTime value={entry.created_at} rich={false} />,
  },
];

/** Who did what to the device, newest first. Only admins and the owner may read it. */
export function DeviceActivity({ uid, allowed }: { uid: string; allowed: boolean }) {
  const trpc = useTRPC();
  const { table } = useListQuery(
    trpc.audit.list.infiniteQueryOptions({ target_id: uid }, { ...nextPage, enabled: allowed }),
  );
  if (!allowed) return <EmptyState kind="no-access" noun="activity" missing="the admin role" />;
  return (
    <DataTable
      id="device-activity"
      label="Activity"
      noun={["entry", "entries"]}
      columns={columns}
      {...table}
      rowKey={(entry) => entry.uid}
      rowLabel={(entry) => describeAction(entry.action)}
      toolbar={<TableNote>Who changed what about this device, newest first.</TableNote>}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No activity yet"
          description="Every change of the device is listed here, with who made it."
        />
      }
    />
  );
}
