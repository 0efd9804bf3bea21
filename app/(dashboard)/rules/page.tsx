import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { listInput } from "@/components/rules/query";
import { RuleList } from "@/components/rules/rule-list";

export const metadata: Metadata = { title: "Rules" };

export default async function RulesPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.rules.list.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <RuleList />
    </Hydrate>
  );
}
