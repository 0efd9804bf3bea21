import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { MetricList } from "@/components/health/metric-list";
import { metricInput } from "@/components/health/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Health" };

export default async function HealthPage(props: QueryPageProps) {
  const input = metricInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.health.metrics.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <MetricList />
    </Hydrate>
  );
}
