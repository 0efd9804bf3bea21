import type { Metadata } from "next";
import { getQueryClient, Hydrate, readDemoFilter, trpc, type QueryPageProps } from "@/app/prefetch";
import { OverviewPage } from "@/components/overview/overview-page";
import { readRange } from "@/components/overview/query";

export const metadata: Metadata = { title: "Overview" };

export default async function Page(props: QueryPageProps) {
  const [search, shown] = await Promise.all([props.searchParams, readDemoFilter(props)]);
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.demo.status.queryOptions()),
    client.prefetchQuery(trpc.demo.steps.queryOptions()),
    client.prefetchQuery(trpc.overview.fleet.queryOptions(shown)),
    client.prefetchQuery(trpc.overview.activity.queryOptions({ ...shown, range: readRange(search.range) })),
    client.prefetchQuery(trpc.overview.attention.queryOptions(shown)),
    client.prefetchQuery(trpc.overview.map.queryOptions(shown)),
  ]);
  return (
    <Hydrate>
      <OverviewPage />
    </Hydrate>
  );
}
