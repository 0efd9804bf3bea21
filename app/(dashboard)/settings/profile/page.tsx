import type { Metadata } from "next";
import { Profile } from "@/components/account/profile";
import { getQueryClient, Hydrate, trpc } from "@/components/trpc/server";

export const metadata: Metadata = { title: "Profile" };

export default async function ProfilePage() {
  await getQueryClient().prefetchQuery(trpc.account.profile.queryOptions());
  return (
    <Hydrate>
      <Profile />
    </Hydrate>
  );
}
