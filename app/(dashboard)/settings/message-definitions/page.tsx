import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { DefinitionList } from "@/components/message-definitions/definition-list";
import { listInput } from "@/components/message-definitions/query";

export const metadata: Metadata = { title: "Message definitions" };

export default async function MessageDefinitionsPage(props: QueryPageProps) {
  const input = listInput(await props.searchParams);
  await getQueryClient().prefetchInfiniteQuery(trpc.messageDefinitions.list.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <DefinitionList />
    </Hydrate>
  );
}
