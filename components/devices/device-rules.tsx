"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { None } from "@/components/kit/none";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { NarrowNoun } from "@/components/list/narrow-noun";
import { TableNote } from "@/components/list/table-note";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { cellCeiling } from "@/domain/limits";

type Rule = Outputs["fleet"]["rules"][number];

const columns: readonly DataTableColumn<Rule>[] = [
  {
    id: "name",
    header: "Rule",
    minWidth: 180,
    required: true,
    narrow: "title",
    cell: (rule) => (
      <WithDemoMark of={rule} after={!rule.enabled && <span className="text-meta text-subtle">off</span>}>
        <span className="truncate">{rule.name}</span>
      </WithDemoMark>
    ),
  },
  {
    id: "condition",
    header: "Condition",
    minWidth: 240,
    cell: (rule) => <span className="truncate text-muted">{rule.condition_text}</span>,
  },
  { id: "why", header: "Why it applies", minWidth: 180, narrow: "meta", cell: (rule) => rule.why },
  {
    id: "open",
    header: "Open alerts",
    width: 100,
    align: "right",
    narrow: "trailing",
    cell: ({ open_alerts: open }) =>
      open === 0 ? (
        <None />
      ) : (
        <>
          <span className="tabular-nums">{open >= cellCeiling ? `${cellCeiling}+` : open}</span>
          <NarrowNoun count={open} one="open alert" />
        </>
      ),
  },
];

/** The rules that watch this device, and by which part of their scope. */
export function DeviceRules({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.fleet.rules.queryOptions({ uid }));
  const reason = usePermissions().refusal();
  const scope = useMemo(() => encodeURIComponent(JSON.stringify({ device_ids: [uid] })), [uid]);
  return (
    <DataTable
      id="device-rules"
      label="Rules that apply"
      noun={["rule", "rules"]}
      columns={columns}
      rows={query.data}
      rowKey={(rule) => rule.uid}
      rowLabel={(rule) => rule.name}
      href={(rule) => `/rules/${rule.uid}`}
      toolbar={<TableNote>Rules whose scope includes this device, enabled ones first.</TableNote>}
      error={query.error}
      onRetry={() => void query.refetch()}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No rule watches this device"
          description="A rule applies when its scope names the device, one of its groups or its tags, or is empty."
          action={
            <ButtonLink variant="primary" href={`/rules/new?scope=${scope}`} disabledReason={reason}>
              New rule for this device
            </ButtonLink>
          }
        />
      }
    />
  );
}
