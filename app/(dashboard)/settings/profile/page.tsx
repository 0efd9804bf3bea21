import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { Profile } from "@/components/account/profile";

export const metadata: Metadata = { title: "Profile" };

export default async function ProfilePage() {
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.account.profile.queryOptions()),
    getQueryClient().prefetchQuery(trpc.account.sessions.queryOptions()),
  ]);
  return (
    <Hydrate>
      <Profile />
    </Hydrate>
  );
}
