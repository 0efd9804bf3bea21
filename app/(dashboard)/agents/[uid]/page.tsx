import type { Metadata } from "next";
import { notFound } from "next/navigation";
import {
  getQueryClient,
  getSession,
  Hydrate,
  trpc,
  type QueryPageProps,
  type ResourcePageProps,
  readForPage,
} from "@/app/prefetch";
import { AgentPage } from "@/components/agents/agent-page";
import { executionInput } from "@/components/agents/query";
import { nextPage } from "@/components/list/list-input";

const readAgent = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.agents.get.queryOptions({ uid })));

export async function generateMetadata(props: ResourcePageProps): Promise<Metadata> {
  return { title: (await readAgent(props))?.name ?? "Agent not found" };
}

export default async function Page(props: ResourcePageProps & QueryPageProps) {
  // Without a session the layout redirects to the sign-in page.
  if (!(await getSession())) return null;
  const agent = await readAgent(props);
  if (!agent) notFound();
  const input = executionInput(agent.uid, await props.searchParams);
  await Promise.all([
    getQueryClient().prefetchInfiniteQuery(trpc.agents.executions.infiniteQueryOptions(input, nextPage)),
    getQueryClient().prefetchQuery(trpc.agents.activity.queryOptions({ uid: agent.uid })),
  ]);
  return (
    <Hydrate>
      <AgentPage uid={agent.uid} />
    </Hydrate>
  );
}
