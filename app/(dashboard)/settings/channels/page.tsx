import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { ChannelList } from "@/components/channels/channel-list";
import { listInput } from "@/components/channels/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Channels" };

export default async function ChannelsPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.channels.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <ChannelList />
    </Hydrate>
  );
}
