import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/slices/query";
import { SliceList } from "@/components/slices/slice-list";

export const metadata: Metadata = { title: "Slices" };

export default async function SlicesPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.slices.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <SliceList />
    </Hydrate>
  );
}
