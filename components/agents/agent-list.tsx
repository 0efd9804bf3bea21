"use client";

import { Pause, Play, Plus } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { Suspense, useMemo } from "react";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { useLatest } from "@/components/kit/latest";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { toOptions } from "@/components/kit/options";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { agentColumns } from "./agent-columns";
import { AgentDrawer } from "./agent-drawer";
import { modeLabels } from "./agent-texts";
import { listInput } from "./query";
import { registerCommand } from "./snippets";
import { useAgentActions } from "./use-agent-actions";

// Loaded when an agent is registered, because it brings the form library.
const RegisterDialog = lazyDialog(async () => (await import("./register-dialog")).RegisterDialog);

const definitions: readonly FilterDefinition[] = [
  { key: "mode", label: "Mode", options: toOptions(modeLabels), multiple: true },
  {
    key: "is_active",
    label: "Active",
    options: [
      { value: "true", label: "Yes" },
      { value: "false", label: "Paused" },
    ],
  },
];

/** The row of the open drawer, else the one that the keyboard is on. */
const currentUid = (selected: string | null): string | undefined =>
  selected ?? document.querySelector<HTMLElement>("tr[data-row][tabindex='0']")?.dataset.row;

/** Every agent of the organization, what it did in a day and when it was last seen. */
export function AgentList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const reason = usePermissions().refusal({ role: "admin" });
  const [register, setRegister] = useQueryState("register", parseAsString.withOptions({ history: "push" }));
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) => trpc.agents.overview.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.agents.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const actions = useAgentActions((uid) => list.deselect([uid]));
  const setActive = useLatest(actions.setActive);
  const columns = useMemo(
    () => agentColumns({ reason, onToggle: (agent, active) => void setActive([agent], active) }),
    [reason, setActive],
  );
  const openRegister = () => void setRegister("1");
  useShortcuts([
    refuseShortcut({ keys: "n", label: "Register agent", group: "Agents", run: openRegister }, reason),
    refuseShortcut(
      {
        keys: "t",
        label: "Send test",
        group: "Agents",
        run: () => {
          const agent = list.all?.find(({ uid }) => uid === currentUid(list.selected));
          if (agent) void actions.test(agent);
        },
      },
      reason,
    ),
  ]);

  const registerButton = (
    <Button variant="primary" icon={<Plus aria-hidden />} disabledReason={reason} onClick={openRegister}>
      Register an agent
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Agents"
        meta={
          <>
            Programs of yours that act on events.
            <DocsTextLink href={guideHref("agents")}>How agents work</DocsTextLink>
          </>
        }
        actions={list.isEmpty ? undefined : registerButton}
      />
      <ListTable
        {...list.table}
        list={list}
        id="agents"
        label="Agents"
        noun={["agent", "agents"]}
        columns={columns}
        rowLabel={(agent) => agent.name}
        href={(agent) => `/agents/${agent.uid}`}
        rowMenu={(agent) => actions.menu(agent, { open: true })}
        filterBar={{ label: "Filter agents", placeholder: "Filter by name or mode" }}
        tools={
          <>
            <SavedViews screen="agents" />
          </>
        }
        bulkActions={(uids, clear) => {
          const set = (active: boolean) => () => void setActive(list.findRows(uids), active).then(clear);
          return (
            <>
              <Button size="sm" disabledReason={reason} icon={<Pause aria-hidden />} onClick={set(false)}>
                Pause
              </Button>
              <Button size="sm" disabledReason={reason} icon={<Play aria-hidden />} onClick={set(true)}>
                Activate
              </Button>
            </>
          );
        }}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No agents yet"
            description="An agent is a program of yours that judges results as they come."
            action={registerButton}
            curl={{ command: registerCommand(origin), guide: guideHref("agents") }}
          />
        }
      />
      <AgentDrawer uid={list.selected} row={list.selectedRow} actions={actions} onClose={() => list.select(null)} />
      <Suspense>{register === "1" && <RegisterDialog onClose={() => void setRegister(null)} />}</Suspense>
      {actions.dialogs}
    </>
  );
}
