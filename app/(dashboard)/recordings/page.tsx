import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/recordings/query";
import { RecordingList } from "@/components/recordings/recording-list";
import { fleetPageSize } from "@/domain/limits";

export const metadata: Metadata = { title: "Recordings" };

export default async function RecordingsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  const client = getQueryClient();
  await Promise.all([
    client.prefetchInfiniteQuery(trpc.recordings.overview.infiniteQueryOptions(input, nextPage)),
    client.prefetchQuery(trpc.recordings.vocabulary.queryOptions()),
    client.prefetchQuery(trpc.devices.list.queryOptions({ limit: fleetPageSize.max })),
  ]);
  return (
    <Hydrate>
      <RecordingList />
    </Hydrate>
  );
}
