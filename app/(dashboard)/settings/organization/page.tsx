import type { Metadata } from "next";
import { getQueryClient, Hydrate, trpc } from "@/app/prefetch";
import { OrganizationSettings } from "@/components/settings/organization-settings";

export const metadata: Metadata = { title: "Organization" };

export default async function OrganizationPage() {
  await getQueryClient().prefetchQuery(trpc.organizations.current.queryOptions());
  return (
    <Hydrate>
      <OrganizationSettings />
    </Hydrate>
  );
}
