"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, FolderPlus, Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { DataTable } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { useGroupActions, type GroupActions } from "./group-actions";
import { groupColumns, GroupStates } from "./group-columns";
import { GroupDevices } from "./group-devices";
import { GroupUses } from "./group-uses";
import { insideInput, type Group } from "./query";

const list = { label: "Groups", href: "/groups" };
const tabs = ["devices", "groups", "uses"] as const;

/** One group: its devices, the groups in it, and what depends on it. */
export function GroupPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  // Once deleted here it is not requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.groups.overviewOf.queryOptions({ uid }), enabled: !deleted });
  const actions = useGroupActions({
    onDeleted: (gone) => {
      if (gone !== uid) return;
      setDeleted(true);
      router.push("/groups");
    },
  });
  const group = query.data;
  usePageTitle(group?.name);

  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={group?.name}
        noun="group"
        deletedMessage="This group was deleted while you were looking at it. Its devices are kept."
        list={list}
        query={query}
      />
    );
  }
  if (!group) return null;
  return (
    <>
      <PageHeader
        title={group.name}
        trail={[list, ...group.path.map((each) => ({ label: each.name, href: `/groups/${each.uid}` }))]}
        status={<GroupStates group={group} />}
        meta={
          <>
            {group.demo && <Badge>Demo</Badge>}
            <span>
              {plural(group.devices, "device")}
              {group.groups > 0 && `, ${group.own_devices.toLocaleString("en-US")} directly`}
            </span>
            {group.description && <span className="min-w-0 truncate">{group.description}</span>}
            <UidChip uid={group.uid} />
          </>
        }
        actions={
          <>
            <Button
              variant="primary"
              icon={<Plus aria-hidden />}
              disabledReason={actions.reason}
              onClick={() => actions.addDevices(group)}
            >
              Add devices
            </Button>
            <Menu
              items={actions.menu(group)}
              trigger={
                <IconButton label={`Actions for ${group.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <Tabs
        label="About this group"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={[
          { value: "devices", label: "Devices", content: <GroupDevices group={group} actions={actions} /> },
          { value: "groups", label: "Groups in it", content: <GroupsInside group={group} actions={actions} /> },
          {
            value: "uses",
            label: "Used by",
            content: (
              <PageBody narrow>
                <GroupUses uid={uid} />
              </PageBody>
            ),
          },
        ]}
      />
      {actions.dialogs}
    </>
  );
}

/** The groups directly in a group. */
function GroupsInside({ group, actions }: { group: Group; actions: GroupActions }) {
  const trpc = useTRPC();
  const { table } = useListQuery(trpc.groups.overview.infiniteQueryOptions(insideInput(group.uid), nextPage));
  return (
    <DataTable
      id="groups-inside"
      label="Groups in it"
      noun={["group", "groups"]}
      columns={groupColumns}
      {...table}
      // The page already says where they are.
      rows={table.rows?.map((row) => ({ ...row, path: [] }))}
      rowKey={(row) => row.uid}
      rowLabel={(row) => row.name}
      href={(row) => `/groups/${row.uid}`}
      rowMenu={(row) => actions.menu(table.rows?.find(({ uid }) => uid === row.uid) ?? row, { open: true })}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No groups in it"
          description="Groups inside this one divide its devices: the lines of a hall, the cells of a line."
          action={
            <Button
              variant="primary"
              icon={<FolderPlus aria-hidden />}
              disabledReason={actions.reason}
              onClick={() => actions.createInside(group)}
            >
              New group inside
            </Button>
          }
        />
      }
    />
  );
}
