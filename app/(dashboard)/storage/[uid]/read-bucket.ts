import { getQueryClient, readForPage, trpc, type ResourcePageProps } from "@/app/prefetch";

export const readBucket = (props: ResourcePageProps) =>
  readForPage(props, (uid) => getQueryClient().fetchQuery(trpc.storage.get.queryOptions({ uid })));
