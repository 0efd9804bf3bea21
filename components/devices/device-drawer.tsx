"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { Tags } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { Drawer } from "@/components/kit/drawer";
import { IconButton } from "@/components/kit/icon-button";
import { KeyValue } from "@/components/kit/key-value";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { UidChip } from "@/components/product/uid-chip";
import { ValueList } from "@/components/product/value-list";
import { useTRPC } from "@/components/trpc/client";
import { DeviceStatusLine } from "./device-status";
import type { Device } from "./query";

export interface DeviceDrawerProps {
  /** Which device is looked at; null closes the drawer. */
  uid: string | null;
  /** The same device as the list has it, to show at once. */
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
  const device = row ?? query.data;
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={device?.name ?? "Device"}
      subtitle={device && <DeviceStatusLine device={device} className="text-meta" />}
      actions={
        device && (
          <>
            <ButtonLink href={`/devices/${device.uid}`} size="sm">
              Open
            </ButtonLink>
            <Menu
              items={menu(device)}
              trigger={<IconButton label={`Actions for ${device.name}`} size="sm" icon={<Ellipsis aria-hidden />} />}
            />
          </>
        )
      }
    >
      {device ? (
        <div className="flex flex-col gap-6">
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
        </div>
      ) : query.error ? (
        <ErrorState error={query.error} title="This device could not be loaded" onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}
