import type { Metadata } from "next";
import { MemberList } from "@/components/members/member-list";
import { getQueryClient, getSession, Hydrate, trpc } from "@/components/trpc/server";
import { nextPage } from "@/components/trpc/table-props";

export const metadata: Metadata = { title: "Members" };

export default async function MembersPage() {
  const session = await getSession();
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.organizations.current.queryOptions()),
    getQueryClient().prefetchInfiniteQuery(trpc.members.list.infiniteQueryOptions({}, nextPage)),
  ]);
  return (
    <Hydrate>
      <MemberList userUid={session?.userId ?? ""} />
    </Hydrate>
  );
}
