import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { ModelList } from "@/components/models/model-list";
import { listInput } from "@/components/models/query";

export const metadata: Metadata = { title: "Models" };

export default async function ModelsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.models.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <ModelList />
    </Hydrate>
  );
}
