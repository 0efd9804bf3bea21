"use client";

import { useQuery } from "@tanstack/react-query";
import { Minus, Plus } from "lucide-react";
import { useMemo } from "react";
import { useDeviceColumns } from "@/components/devices/use-device-columns";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { toOptions } from "@/components/kit/options";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useTRPC } from "@/components/trpc/client";
import type { DeviceStatus } from "@/domain/devices/connectivity";
import type { GroupActions } from "./group-actions";
import { devicesInput, type Group } from "./query";
import { useChangeDevices } from "./use-change-devices";

const statuses = toOptions<DeviceStatus>({ online: "Online", offline: "Offline", maintenance: "Maintenance" });

/** The devices of a group and of the groups inside it; ticked ones can be taken out of it. */
export function GroupDevices({ group, actions }: { group: Group; actions: GroupActions }) {
  const trpc = useTRPC();
  const known = useQuery(trpc.devices.vocabulary.queryOptions()).data;
  const definitions: readonly FilterDefinition[] = useMemo(
    () => [
      { key: "status", label: "Status", options: statuses, multiple: true },
      { key: "type", label: "Type", suggest: () => known?.types ?? [], multiple: true },
      { key: "tags", label: "Tag", suggest: () => known?.tags ?? [], multiple: true, example: "hall-2" },
    ],
    [known],
  );
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) =>
      trpc.fleet.devices.infiniteQueryOptions(devicesInput(group.uid, values), {
        ...nextPage,
        refetchInterval: 30_000,
      }),
    probe: (values) => trpc.fleet.devices.queryOptions({ ...devicesInput(group.uid, values), limit: 1 }),
  });
  const columns = useDeviceColumns();
  const { remove } = useChangeDevices(group);
  const takeOut = async (uids: readonly string[], clear?: () => void) => {
    if (await remove(uids)) clear?.();
  };
  return (
    <ListTable
      {...list.table}
      selected={null}
      onSelect={undefined}
      list={list}
      id="group-devices"
      label="Devices"
      noun={["device", "devices"]}
      columns={columns}
      rowLabel={(device) => device.name}
      href={(device) => `/devices/${device.uid}`}
      rowMenu={(device) => [
        {
          label: "Remove from the group",
          icon: <Minus aria-hidden />,
          disabledReason: actions.reason,
          onSelect: () => void takeOut([device.uid]),
        },
      ]}
      filterBar={{ label: "Filter devices", placeholder: "Filter by name, status, type or tag" }}
      bulkActions={(keys, clear) => (
        <Button
          size="sm"
          icon={<Minus aria-hidden />}
          disabledReason={actions.reason}
          onClick={() => void takeOut(keys, clear)}
        >
          Remove from the group
        </Button>
      )}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No devices in it yet"
          description="Add devices by name, or all that have a type, a tag or a status. A device can be in several groups."
          action={
            <Button
              variant="primary"
              icon={<Plus aria-hidden />}
              disabledReason={actions.reason}
              onClick={() => actions.addDevices(group)}
            >
              Add devices
            </Button>
          }
        />
      }
    />
  );
}
