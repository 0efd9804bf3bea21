import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/silences/query";
import { SilenceList } from "@/components/silences/silence-list";

export const metadata: Metadata = { title: "Silences" };

export default async function SilencesPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.silences.list.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <SilenceList />
    </Hydrate>
  );
}
