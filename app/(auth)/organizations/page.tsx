import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getQueryClient, getSession, getSignedIn, Hydrate, trpc } from "@/app/prefetch";
import { OwnOrganizations } from "@/components/settings/own-organizations";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Your organizations" };

/** Where people are led who are in no organization, and owners who take the deletion of one back. */
export default async function OrganizationsPage() {
  const [session, signedIn] = await Promise.all([getSession(), getSignedIn()]);
  if (!signedIn) redirect("/login?next=%2Forganizations");
  await getQueryClient().prefetchQuery(trpc.organizations.deletions.queryOptions());
  return (
    <Standalone
      title="Your organizations"
      description={
        session
          ? `You are in ${session.organizationName}.`
          : "You are in no organization now. Open the link of an invitation to join one, or make a new one."
      }
    >
      <Hydrate>
        <OwnOrganizations email={signedIn.email} isInOrganization={session !== null} />
      </Hydrate>
    </Standalone>
  );
}
