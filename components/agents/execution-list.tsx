"use client";

import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { toOptions } from "@/components/kit/options";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { agentActions, executionEventTypes } from "@/domain/agents/execution-status";
import { executionColumns, getName } from "./execution-columns";
import { ExecutionDrawer } from "./execution-drawer";
import { actionLooks, statusLabels } from "./execution-status";
import { executionInput, type AgentDetail } from "./query";

const definitions: readonly FilterDefinition[] = [
  { key: "status", label: "Status", options: toOptions(statusLabels), multiple: true },
  { key: "event_type", label: "Event", options: executionEventTypes.map((value) => ({ value })), multiple: true },
  {
    key: "action",
    label: "Action",
    options: agentActions.map((value) => ({ value, label: actionLooks[value].label })),
    multiple: true,
  },
  { key: "since", label: "Since", isTime: true, suggest: () => ["-1h", "-24h", "-7d", "-30d"], example: "-24h" },
];

/** The executions of an agent, newest first, with the drawer of one. */
export function ExecutionList({ agent, onTest }: { agent: AgentDetail; onTest: () => void }) {
  const trpc = useTRPC();
  const reason = usePermissions().refusal({ role: "admin" });
  const { uid } = agent;
  const list = useListPage({
    definitions,
    query: (values) => trpc.agents.executions.infiniteQueryOptions(executionInput(uid, values), nextPage),
    probe: (values) => trpc.agents.executions.queryOptions({ ...executionInput(uid, values), limit: 1 }),
    holdsFresh: true,
  });
  // One that a link names may be older than the loaded rows, or hidden by the filters.
  const single = useQuery({
    ...trpc.agents.executionOverview.queryOptions({ uid: list.selected ?? "" }),
    enabled: list.selected !== null && list.selectedRow === undefined && list.all !== undefined,
  });
  return (
    <>
      <ListTable
        {...list.table}
        list={list}
        id="agent-executions"
        label="Executions"
        noun={["execution", "executions"]}
        columns={executionColumns}
        rowLabel={(execution) => `${execution.event_type} about ${getName(execution)}`}
        filterBar={{ label: "Filter executions", placeholder: "Filter by status, event, action or time" }}
        tools={<SavedViews screen="agent-executions" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No executions yet"
            description="Each event that concerns the agent is listed here, with what was decided and why."
            action={
              <Button icon={<Send aria-hidden />} disabledReason={reason} onClick={onTest}>
                Send test
              </Button>
            }
          />
        }
      />
      <ExecutionDrawer
        agent={agent}
        uid={list.selected}
        row={list.selectedRow ?? single.data}
        query={single}
        onClose={() => list.select(null)}
      />
    </>
  );
}
