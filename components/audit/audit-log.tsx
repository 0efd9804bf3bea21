"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Drawer } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { KeyValue } from "@/components/kit/key-value";
import { None } from "@/components/kit/none";
import { PageHeader } from "@/components/kit/page-header";
import { saveFile } from "@/components/kit/save-file";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { filterInput, nextPage, type AddressValues } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { describeChange, describeEntry, listDifferences } from "@/components/product/activity-texts";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, type Inputs, type Outputs } from "@/components/trpc/client";

type Entry = Outputs["audit"]["list"]["results"][number];

const actorLabels: Record<string, string> = {
  api_key: "key",
  user: "user",
  device: "device",
  agent: "agent",
  system: "system",
  anonymous: "address",
};

/** What changed, in one line; nothing where the entry holds no values. */
const changeText = ({ before, after }: Entry): string => describeChange(before, after).join("; ");

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
        {entry.actor_name} <span className="text-muted">· {actorLabels[entry.actor_type] ?? entry.actor_type}</span>
      </>
    ),
  },
  {
    id: "action",
    header: "Action",
    minWidth: 180,
    text: (entry) => describeEntry(entry.action),
    cell: (entry) => (
      <span title={entry.action}>
        {describeEntry(entry.action)}
        {entry.count > 1 && <span className="text-muted"> × {entry.count}</span>}
      </span>
    ),
    narrow: "title",
  },
  {
    id: "target",
    header: "On",
    minWidth: 180,
    narrow: "meta",
    text: (entry) => entry.target_name || entry.target_id.slice(0, 20),
    cell: (entry) => (entry.target_name ? <Truncate text={entry.target_name} /> : <UidChip uid={entry.target_id} />),
  },
  {
    id: "change",
    header: "Change",
    minWidth: 160,
    text: changeText,
    cell: (entry) => (changeText(entry) ? <Truncate text={changeText(entry)} className="text-muted" /> : <None />),
  },
  { id: "ip", header: "From", width: 140, cell: (entry) => entry.ip ?? "–" },
];

const definitions: readonly FilterDefinition[] = [
  { key: "action", label: "Action", multiple: true, example: "device.deleted" },
  { key: "actor_id", label: "Who", example: "uid" },
  { key: "target_id", label: "On", example: "dev_…" },
  { key: "since", label: "Since", isTime: true, example: "2026-01-31" },
  { key: "until", label: "Until", isTime: true, example: "2026-02-01" },
];

/** A day in the address means its first moment. */
const asTime = (value: string) => (/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);

function listInput(values: AddressValues): Inputs["audit"]["list"] {
  const { since, until, ...input } = filterInput(["action", "actor_id", "target_id", "since", "until"], values);
  return { ...input, ...(since && { since: asTime(since) }), ...(until && { until: asTime(until) }) };
}

/** Who did what to which object, from where; each entry with what changed. */
export function AuditLog() {
  const trpc = useTRPC();
  const list = useListPage({
    definitions,
    query: (values) => trpc.audit.list.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.audit.list.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const { filters, selectedRow: open } = list;
  const exported = useMutation(
    trpc.audit.export.mutationOptions({
      onSuccess: ({ file_name: name, csv, rows, truncated }) => {
        saveFile({ name, content: csv, type: "text/csv" });
        toast.success(`Exported ${rows} entries`, truncated ? { description: "There are more; narrow the time." } : {});
      },
      onError: (error) => toast.failure(error),
    }),
  );

  return (
    <>
      <PageHeader
        title="Audit log"
        meta="Every change, sign-in, refusal and download, by whom and from where."
        actions={
          <Button
            icon={<Download aria-hidden />}
            busy={exported.isPending}
            onClick={() => exported.mutate(listInput(filters.values))}
          >
            Export CSV
          </Button>
        }
      />
      <ListTable
        {...list.table}
        list={list}
        id="audit"
        label="Audit log"
        noun={["entry", "entries"]}
        columns={columns}
        rowLabel={(entry) => entry.action}
        filterBar={{ label: "Filter the audit log" }}
        empty={<EmptyState kind="no-match" noun="entries" filterCount={filters.count} onClear={filters.clear} />}
      />
      <Drawer
        open={open !== undefined}
        onClose={() => list.select(null)}
        title={open ? describeEntry(open.action) : ""}
        subtitle={open?.target_name}
      >
        {open && <EntryDetails entry={open} />}
      </Drawer>
    </>
  );
}

function EntryDetails({ entry }: { entry: Entry }) {
  const changes = listDifferences(entry.before ?? {}, entry.after ?? {});
  return (
    <div className="flex flex-col gap-4">
      <KeyValue
        items={[
          ["When", <InstantTime key="when" value={entry.created_at} precision="millisecond" />],
          [
            "Action",
            <code key="action" className="font-mono text-meta">
              {entry.action}
            </code>,
          ],
          ["Who", `${entry.actor_name} (${actorLabels[entry.actor_type] ?? entry.actor_type})`],
          ["From", entry.ip ?? "–"],
          ["How often", String(entry.count)],
          ["On", <UidChip key="on" uid={entry.target_id} max={24} />],
          ["Request", entry.request_id ? <UidChip key="request" uid={entry.request_id} max={24} /> : "–"],
        ]}
      />
      {changes.length > 0 && (
        <table className="w-full table-fixed text-table">
          <caption className="mb-2 text-left font-semibold">What changed</caption>
          <thead className="text-meta text-subtle">
            <tr>
              {["Field", "Before", "After"].map((head) => (
                <th key={head} scope="col" className="border-b py-1 pr-3 text-left font-normal">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map(({ path, before, after }) => (
              <tr key={path} className="align-top">
                <th scope="row" className="border-b py-1 pr-3 text-left font-mono text-meta font-normal wrap-anywhere">
                  {path}
                </th>
                <td className="border-b py-1 pr-3 wrap-anywhere text-muted">{before ?? "–"}</td>
                <td className="border-b py-1 pr-3 wrap-anywhere">{after ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
