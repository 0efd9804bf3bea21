import type { Metadata } from "next";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { nextPage } from "@/components/list/list-input";
import { MemberList } from "@/components/members/member-list";

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
