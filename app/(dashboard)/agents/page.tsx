import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { AgentList } from "@/components/agents/agent-list";
import { listInput } from "@/components/agents/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Agents" };

export default async function AgentsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.agents.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <AgentList />
    </Hydrate>
  );
}
