"use client";

import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useMemo } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { Drawer, useSelected } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import { FilterBar } from "@/components/kit/filter-bar";
import { useFilters, type FilterDefinition } from "@/components/kit/filters";
import { KeyValue } from "@/components/kit/key-value";
import { PageHeader } from "@/components/kit/page-header";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage, tableProps } from "@/components/list/table-props";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, type Inputs, type Outputs } from "@/components/trpc/client";

type Entry = Outputs["audit"]["list"]["results"][number];

const actorWords: Record<string, string> = {
  api_key: "key",
  user: "user",
  device: "device",
  agent: "agent",
  system: "system",
};

const columns: readonly DataTableColumn<Entry>[] = [
  {
    id: "time",
    header: "When",
    width: 110,
    cell: (entry) => <RelativeTime value={entry.created_at} rich={false} />,
    required: true,
    narrow: "trailing",
  },
  {
    id: "actor",
    header: "Who",
    minWidth: 160,
    narrow: "meta",
    cell: (entry) => (
      <>
        {entry.actor_name} <span className="text-muted">{actorWords[entry.actor_type] ?? entry.actor_type}</span>
      </>
    ),
  },
  {
    id: "action",
    header: "Action",
    minWidth: 180,
    cell: (entry) => <span className="font-mono">{entry.action}</span>,
    narrow: "title",
  },
  {
    id: "target",
    header: "On",
    minWidth: 180,
    cell: (entry) => entry.target_name || <UidChip uid={entry.target_id} />,
  },
  { id: "ip", header: "From", width: 140, cell: (entry) => entry.ip ?? "–" },
];

const filterDefinitions: readonly FilterDefinition[] = [
  { key: "action", label: "Action", multiple: true, example: "device.deleted" },
  { key: "actor_id", label: "Who", example: "uid" },
  { key: "target_id", label: "On", example: "dev_…" },
  { key: "since", label: "Since", example: "2026-01-31" },
  { key: "until", label: "Until", example: "2026-02-01" },
];

/** A day in the address stands for its first moment. */
const asTime = (value: string | null) => (value && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);

/** Who did what to which object, from where; each entry with what changed. */
export function AuditLog() {
  const trpc = useTRPC();
  const filters = useFilters(filterDefinitions);
  const input = useMemo<Inputs["audit"]["list"]>(() => {
    const { action, actor_id: actorId, target_id: targetId } = filters.values;
    const [since, until] = [asTime(filters.values.since ?? null), asTime(filters.values.until ?? null)];
    return {
      ...(action && { action }),
      ...(actorId && { actor_id: actorId }),
      ...(targetId && { target_id: targetId }),
      ...(since && { since }),
      ...(until && { until }),
    };
  }, [filters.values]);
  const entries = useInfiniteQuery(trpc.audit.list.infiniteQueryOptions(input, nextPage));
  const [selected, select] = useSelected();
  const table = tableProps(entries);
  const open = table.rows?.find((entry) => entry.uid === selected);
  const exported = useMutation(
    trpc.audit.export.mutationOptions({
      onSuccess: ({ file_name: name, csv, rows, truncated }) => {
        const url = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
        const link = Object.assign(document.createElement("a"), { href: url, download: name });
        link.click();
        URL.revokeObjectURL(url);
        toast.success(`Exported ${rows} entries`, truncated ? { description: "There are more; narrow the time." } : {});
      },
      onError: (error) => toast.failure(error),
    }),
  );

  return (
    <>
      <PageHeader
        title="Audit log"
        meta="Every change, by whom and from where."
        actions={
          <Button icon={<Download aria-hidden />} busy={exported.isPending} onClick={() => exported.mutate(input)}>
            Export CSV
          </Button>
        }
      />
      <DataTable
        id="audit"
        label="Audit log"
        noun={["entry", "entries"]}
        columns={columns}
        {...table}
        rowKey={(entry) => entry.uid}
        rowLabel={(entry) => entry.action}
        selected={selected}
        onSelect={select}
        toolbar={<FilterBar definitions={filterDefinitions} filters={filters} label="Filter the audit log" />}
        empty={<EmptyState kind="no-match" noun="entries" filterCount={filters.count} onClear={filters.clear} />}
      />
      <Drawer
        open={open !== undefined}
        onClose={() => select(null)}
        title={open?.action ?? ""}
        subtitle={open?.target_name}
      >
        {open && <EntryDetails entry={open} />}
      </Drawer>
    </>
  );
}

function EntryDetails({ entry }: { entry: Entry }) {
  return (
    <div className="flex flex-col gap-4">
      <KeyValue
        items={[
          ["When", <InstantTime key="when" value={entry.created_at} precision="millisecond" />],
          ["Who", `${entry.actor_name} (${actorWords[entry.actor_type] ?? entry.actor_type})`],
          ["From", entry.ip ?? "–"],
          ["On", <UidChip key="on" uid={entry.target_id} max={24} />],
          ["Request", entry.request_id ? <UidChip key="request" uid={entry.request_id} max={24} /> : "–"],
        ]}
      />
      {entry.before && <CodeBlock label="Before" code={JSON.stringify(entry.before, null, 2)} wrap />}
      {entry.after && <CodeBlock label="After" code={JSON.stringify(entry.after, null, 2)} wrap />}
    </div>
  );
}
