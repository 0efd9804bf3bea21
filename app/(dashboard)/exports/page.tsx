import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { ExportList } from "@/components/exports/export-list";
import { listInput } from "@/components/exports/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Exports" };

export default async function ExportsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.exports.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <ExportList />
    </Hydrate>
  );
}
