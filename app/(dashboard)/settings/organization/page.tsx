import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { OrganizationSettings } from "@/components/settings/organization-settings";

export const metadata: Metadata = { title: "Organization" };

export default async function OrganizationPage() {
  const client = getQueryClient();
  // All that the height of the page depends on, so that nothing moves under a pointer.
  await Promise.all([
    client.prefetchQuery(trpc.organizations.current.queryOptions()),
    client.prefetchQuery(trpc.organizations.storage.queryOptions()),
    client.prefetchQuery(trpc.organizations.retention.queryOptions()),
  ]);
  return (
    <Hydrate>
      <OrganizationSettings />
    </Hydrate>
  );
}
