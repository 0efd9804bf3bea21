import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { EventList } from "@/components/events/event-list";
import { histogramInput, listInput } from "@/components/events/query";
import { nextPage } from "@/components/list/list-input";
import { fleetPageSize } from "@/domain/limits";

export const metadata: Metadata = { title: "Events" };

export default async function EventsPage(props: QueryPageProps) {
  const values = await readListAddress(props);
  const client = getQueryClient();
  await Promise.all([
    client.prefetchInfiniteQuery(trpc.events.overview.infiniteQueryOptions(listInput(values), nextPage)),
    client.prefetchQuery(trpc.events.histogram.queryOptions(histogramInput(values))),
    client.prefetchQuery(trpc.events.vocabulary.queryOptions()),
    client.prefetchQuery(trpc.devices.list.queryOptions({ limit: fleetPageSize.max })),
  ]);
  return (
    <Hydrate>
      <EventList />
    </Hydrate>
  );
}
