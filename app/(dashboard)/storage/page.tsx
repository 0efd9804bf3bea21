import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/storage/query";
import { StorageList } from "@/components/storage/storage-list";

export const metadata: Metadata = { title: "Storage" };

export default async function StoragePage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.storage.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <StorageList />
    </Hydrate>
  );
}
