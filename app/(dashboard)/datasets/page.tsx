import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { DatasetList } from "@/components/datasets/dataset-list";
import { listInput } from "@/components/datasets/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Datasets" };

export default async function DatasetsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.datasets.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <DatasetList />
    </Hydrate>
  );
}
