import type { Metadata } from "next";
import { getQueryClient, Hydrate, readListAddress, trpc, type QueryPageProps } from "@/app/prefetch";
import { GroupList } from "@/components/groups/group-list";
import { listInput } from "@/components/groups/query";
import { nextPage } from "@/components/list/list-input";

export const metadata: Metadata = { title: "Groups" };

export default async function GroupsPage(props: QueryPageProps) {
  const input = listInput(await readListAddress(props));
  await getQueryClient().prefetchInfiniteQuery(trpc.groups.overview.infiniteQueryOptions(input, nextPage));
  return (
    <Hydrate>
      <GroupList />
    </Hydrate>
  );
}
