"use client";

import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import type { MenuItem } from "@/components/kit/menu";
import { RelativeTime } from "@/components/kit/time";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { groupPath, GroupStates } from "./group-columns";
import { GroupUses } from "./group-uses";
import type { Group } from "./query";

export interface GroupDrawerProps {
  /** The group shown; null closes the drawer. */
  uid: string | null;
  /** The same group as the list has it, shown while the detail loads. */
  row: Group | undefined;
  menu: (group: Group) => MenuItem[];
  onClose: () => void;
}

/** A group at a glance, beside the list. */
export function GroupDrawer({ uid, row, menu, onClose }: GroupDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.groups.overviewOf.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  return (
    <ResourceDrawer<Group>
      uid={uid}
      noun="group"
      resource={row ?? query.data}
      getName={(group) => group.name}
      subtitle={(group) => <span>{plural(group.devices, "device")}</span>}
      links={(group) => (
        <ButtonLink href={`/groups/${group.uid}`} size="sm">
          Open
        </ButtonLink>
      )}
      menu={menu}
      query={query}
      onClose={onClose}
    >
      {(group) => (
        <>
          <KeyValue
            items={[
              ["Inside", groupPath(group) || null],
              ["Description", group.description || null],
              [
                "Devices",
                group.groups === 0
                  ? formatNumber(group.devices)
                  : `${formatNumber(group.devices)}, ${formatNumber(group.own_devices)} directly`,
              ],
              ["State", <GroupStates key="states" group={group} />],
              ["Groups in it", group.groups],
              ["Updated", <RelativeTime key="updated" value={group.updated_at} />],
              ["Uid", <UidChip key="uid" uid={group.uid} max={24} />],
            ]}
          />
          <GroupUses uid={group.uid} />
        </>
      )}
    </ResourceDrawer>
  );
}
