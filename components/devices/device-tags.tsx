"use client";

import { useQueryClient } from "@tanstack/react-query";
import { EditableTags } from "@/components/product/editable-tags";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Device } from "./query";

export function DeviceTags({ device }: { device: Pick<Device, "uid" | "name" | "tags"> }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <EditableTags
      name={device.name}
      tags={device.tags}
      vocabulary={trpc.devices.vocabulary.queryOptions()}
      write={async (tags) => {
        await client.devices.update.mutate({ uid: device.uid, change: { tags } });
        await queryClient.invalidateQueries(trpc.devices.pathFilter());
      }}
    />
  );
}
