import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { formatNumber } from "@/components/kit/format";
import { NumberValue } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import type { DataTableColumn } from "@/components/list/data-table";
import { NarrowNoun } from "@/components/list/narrow-noun";
import { Status } from "@/components/product/status";
import type { Group } from "./query";

/** The names of the groups around it, outermost first. */
export const groupPath = ({ path }: Pick<Group, "path">): string => path.map(({ name }) => name).join(" / ");

function GroupName({ group }: { group: Group }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      {group.path.length > 0 && <span className="min-w-0 shrink truncate text-subtle">{groupPath(group)} /</span>}
      <span className="shrink-0 truncate">{group.name}</span>
      <DemoMark of={group} />
    </span>
  );
}

/** How many of its devices are online, offline and in maintenance, without those that none are. */
export function GroupStates({ group }: { group: Pick<Group, "online" | "offline" | "maintenance"> }) {
  const states = (["online", "offline", "maintenance"] as const).filter((state) => group[state] > 0);
  if (states.length === 0) return <None />;
  return (
    <span className="flex items-center gap-3">
      {states.map((state) => (
        <Status key={state} tone={state}>
          <span className="tabular-nums">{formatNumber(group[state])}</span> {state}
        </Status>
      ))}
    </span>
  );
}

/** The columns of groups; those of a search name the groups around each. */
export const groupColumns: readonly DataTableColumn<Group>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 200,
    required: true,
    narrow: "title",
    ordering: "name",
    cell: (group) => <GroupName group={group} />,
  },
  {
    id: "devices",
    header: "Devices",
    width: 96,
    align: "right",
    narrow: "trailing",
    cell: (group) => (
      <>
        <NumberValue value={group.devices} />
        <NarrowNoun count={group.devices} one="device" />
      </>
    ),
  },
  { id: "states", header: "State", width: 300, narrow: "meta", cell: (group) => <GroupStates group={group} /> },
  {
    id: "groups",
    header: "Groups in it",
    width: 104,
    align: "right",
    cell: (group) => (group.groups === 0 ? <None /> : <NumberValue value={group.groups} />),
  },
  {
    id: "rules",
    header: "Rules",
    width: 72,
    align: "right",
    cell: (group) => (group.rules === 0 ? <None /> : <NumberValue value={group.rules} />),
  },
  {
    id: "description",
    header: "Description",
    minWidth: 160,
    cell: (group) =>
      group.description ? <span className="block truncate text-muted">{group.description}</span> : <None />,
  },
  {
    id: "updated_at",
    header: "Updated",
    width: 110,
    align: "right",
    hidden: true,
    cell: (group) => <RelativeTime value={group.updated_at} rich={false} />,
  },
];
