import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/webhooks/query";
import { WebhookList } from "@/components/webhooks/webhook-list";

export const metadata: Metadata = { title: "Webhooks" };

export default async function WebhooksPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.webhooks.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <WebhookList />
    </Hydrate>
  );
}
