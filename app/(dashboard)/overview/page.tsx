import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { OverviewPage } from "@/components/overview/overview-page";
import { readRange } from "@/components/overview/query";

export const metadata: Metadata = { title: "Overview" };

export default async function Page(props: QueryPageProps) {
  const search = await props.searchParams;
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.demo.status.queryOptions()),
    client.prefetchQuery(trpc.demo.steps.queryOptions()),
    client.prefetchQuery(trpc.overview.fleet.queryOptions()),
    client.prefetchQuery(trpc.overview.activity.queryOptions({ range: readRange(search.range) })),
    client.prefetchQuery(trpc.overview.attention.queryOptions()),
    client.prefetchQuery(trpc.overview.map.queryOptions()),
  ]);
  return (
    <Hydrate>
      <OverviewPage />
    </Hydrate>
  );
}
