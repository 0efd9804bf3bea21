import type { Metadata } from "next";
import { KeyList } from "@/components/api-keys/key-list";
import { nextPage } from "@/components/trpc/table-props";
import { getQueryClient, Hydrate, trpc } from "@/components/trpc/server";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  await getQueryClient().prefetchInfiniteQuery(trpc.apiKeys.list.infiniteQueryOptions({}, nextPage));
  return (
    <Hydrate>
      <KeyList />
    </Hydrate>
  );
}
