import type { Metadata } from "next";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { Profile } from "@/components/account/profile";
import { DeleteAccountSection, DeletionsSection } from "@/components/settings/deletion-sections";

export const metadata: Metadata = { title: "Profile" };

export default async function ProfilePage() {
  const session = await getSession();
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.account.profile.queryOptions()),
    getQueryClient().prefetchQuery(trpc.account.signUpPolicy.queryOptions()),
    getQueryClient().prefetchQuery(trpc.secondFactor.state.queryOptions()),
    getQueryClient().prefetchQuery(trpc.account.sessions.queryOptions()),
    getQueryClient().prefetchQuery(trpc.organizations.deletions.queryOptions()),
  ]);
  return (
    <Hydrate>
      <Profile>
        <DeletionsSection />
        <DeleteAccountSection email={session?.email ?? ""} />
      </Profile>
    </Hydrate>
  );
}
