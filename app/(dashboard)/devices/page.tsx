import type { Metadata } from "next";
import { getQueryClient, Hydrate, readDemoFilter, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { DeviceList } from "@/components/devices/device-list";
import { listInput } from "@/components/devices/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Devices" };

export default async function DevicesPage(props: QueryPageProps) {
  const [values, shown] = await Promise.all([readListAddress(props), readDemoFilter(props)]);
  const input = listInput(values);
  const client = getQueryClient();
  await Promise.all([
    client.prefetchInfiniteQuery(trpc.fleet.devices.infiniteQueryOptions(input, nextPage)),
    client.prefetchQuery(trpc.health.columns.queryOptions()),
    client.prefetchQuery(trpc.devices.vocabulary.queryOptions()),
    client.prefetchQuery(trpc.fleet.firmware.queryOptions(shown)),
  ]);
  return (
    <Hydrate>
      <DeviceList />
    </Hydrate>
  );
}
