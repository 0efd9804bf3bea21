import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { runListInput } from "@/components/models/query";
import { RunList } from "@/components/models/run-list";

export const metadata: Metadata = { title: "Runs" };

export default async function RunsPage(props: QueryPageProps) {
  const input = runListInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.runs.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <RunList />
    </Hydrate>
  );
}
