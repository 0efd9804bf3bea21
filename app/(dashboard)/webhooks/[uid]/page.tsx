import type { Metadata } from "next";
import { notFound } from "next/navigation";
import {
  getQueryClient,
  getSession,
  Hydrate,
  readForPage,
  trpc,
  type ResourcePageProps,
  type QueryPageProps,
} from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { deliveryInput } from "@/components/webhooks/query";
import { WebhookPage } from "@/components/webhooks/webhook-page";

const read = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.webhooks.page.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  const webhook = await read(props);
  return { title: webhook ? new URL(webhook.target_url).host : "Webhook not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const webhook = await read(props);
  if (!webhook) notFound();
  const client = getQueryClient();
  const input = deliveryInput(webhook.uid, await props.searchParams);
  await Promise.all([
    client.prefetchInfiniteQuery(trpc.deliveries.list.infiniteQueryOptions(input, nextPage)),
    client.prefetchQuery(trpc.deliveries.groups.queryOptions({ uid: webhook.uid })),
    client.prefetchQuery(trpc.webhooks.replays.queryOptions({ uid: webhook.uid })),
  ]);
  return (
    <Hydrate>
      <WebhookPage uid={webhook.uid} />
    </Hydrate>
  );
}
