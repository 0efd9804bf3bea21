import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { KeyList } from "@/components/api-keys/key-list";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  await getQueryClient().prefetchInfiniteQuery(trpc.apiKeys.list.infiniteQueryOptions({}, nextPage));
  return (
    <Hydrate>
      <KeyList />
    </Hydrate>
  );
}
