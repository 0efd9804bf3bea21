"use client";

import { FolderPlus } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { useGroupActions } from "./group-actions";
import { groupColumns } from "./group-columns";
import { GroupDrawer } from "./group-drawer";
import { listInput } from "./query";

const createCommand = (origin: string): string => `curl ${origin}/api/v1/fleet/groups/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Hall 2", "device_ids": []}'`;

/** The outermost groups of devices; a search finds those inside others too. */
export function GroupList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [ordering, setOrdering] = useQueryState("ordering", parseAsStringLiteral(["name", "-name"]));
  const list = useListPage({
    definitions: [],
    textKey: "search",
    query: (values) =>
      trpc.groups.overview.infiniteQueryOptions(listInput({ ...values, ordering: ordering ?? null }), nextPage),
    probe: (values) => trpc.groups.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const actions = useGroupActions({ onDeleted: (uid) => list.deselect([uid]) });
  useShortcuts([
    refuseShortcut({ keys: "n", label: "New group", group: "Groups", run: actions.create }, actions.reason),
  ]);
  const create = (
    <Button
      variant="primary"
      icon={<FolderPlus aria-hidden />}
      disabledReason={actions.reason}
      onClick={actions.create}
    >
      New group
    </Button>
  );
  return (
    <>
      <PageHeader title="Groups" actions={list.isEmpty ? undefined : create} />
      <ListTable
        {...list.table}
        list={list}
        id="groups"
        label="Groups"
        noun={["group", "groups"]}
        columns={groupColumns}
        ordering={ordering ?? "name"}
        onOrderingChange={(next) => void setOrdering(next === "-name" ? next : null)}
        rowLabel={(group) => group.name}
        href={(group) => `/groups/${group.uid}`}
        rowMenu={(group) => actions.menu(group, { open: true })}
        filterBar={{ label: "Filter groups", placeholder: "Filter by name" }}
        tools={<SavedViews screen="groups" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No groups yet"
            description="A group is a named set of devices: a hall, a line, a customer. Groups can be inside each other, and rules can watch a group."
            action={create}
            curl={{ command: createCommand(origin), guide: guideHref("devices") }}
          />
        }
      />
      <GroupDrawer uid={list.selected} row={list.selectedRow} menu={actions.menu} onClose={() => list.select(null)} />
      {actions.dialogs}
    </>
  );
}
