import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/webhooks/query";
import { WebhookList } from "@/components/webhooks/webhook-list";

export const metadata: Metadata = { title: "Webhooks" };

export default async function WebhooksPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.webhooks.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <WebhookList />
    </Hydrate>
  );
}
