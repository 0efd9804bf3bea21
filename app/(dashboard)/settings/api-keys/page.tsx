import type { Metadata } from "next";
import { KeyList } from "@/components/api-keys/key-list";
import { getQueryClient, Hydrate, trpc } from "@/components/trpc/server";
import { nextPage } from "@/components/trpc/table-props";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  await getQueryClient().prefetchInfiniteQuery(trpc.apiKeys.list.infiniteQueryOptions({}, nextPage));
  return (
    <Hydrate>
      <KeyList />
    </Hydrate>
  );
}
