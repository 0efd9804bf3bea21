import { getQueryClient, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";

export const readAgent = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.agents.get.queryOptions({ uid })));
