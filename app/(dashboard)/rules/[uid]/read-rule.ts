import { getQueryClient, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";

export const readRule = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.rules.get.queryOptions({ uid })));
