"use client";

import { useQuery } from "@tanstack/react-query";
import { Tags } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { KeyValue } from "@/components/kit/key-value";
import type { MenuItem } from "@/components/kit/menu";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { useTRPC } from "@/components/trpc/client";
import { DeviceStatusLine } from "./device-status";
import type { Device } from "./query";

export interface DeviceDrawerProps {
  /** The device shown; null closes the drawer. */
  uid: string | null;
  /** The same device as the list has it, shown while the detail loads. */
  row: Device | undefined;
  menu: (device: Device) => MenuItem[];
  onClose: () => void;
}

/** A device at a glance, beside the list. */
export function DeviceDrawer({ uid, row, menu, onClose }: DeviceDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.devices.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  return (
    <ResourceDrawer
      uid={uid}
      noun="device"
      resource={row ?? query.data}
      getName={(device) => device.name}
      subtitle={(device) => <DeviceStatusLine device={device} className="text-meta" />}
      links={(device) => (
        <ButtonLink href={`/devices/${device.uid}`} size="sm">
          Open
        </ButtonLink>
      )}
      menu={menu}
      query={query}
      onClose={onClose}
    >
      {(device) => (
        <>
          <KeyValue
            items={[
              ["Type", device.type],
              ["Tags", <Tags key="tags" tags={device.tags} max={8} />],
              ["Firmware", device.firmware_version],
              ["Last seen", <RelativeTime key="seen" value={device.last_seen_at} />],
              ["Registered", <InstantTime key="created" value={device.created_at} precision="minute" />],
              ["Uid", <UidChip key="uid" uid={device.uid} max={24} />],
            ]}
          />
          <section>
            <h3 className="mb-2 text-table font-semibold">Metadata</h3>
            <ValueList values={device.metadata} empty="None. Add some on the device's page." />
          </section>
          <section>
            <h3 className="mb-2 text-table font-semibold">Metrics of the last heartbeat</h3>
            <ValueList
              values={device.metrics}
              empty="None yet. Heartbeats may carry numbers such as battery or disk."
            />
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}
