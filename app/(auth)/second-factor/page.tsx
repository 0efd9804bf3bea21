import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getQueryClient, getSession, getSettingUp, Hydrate, trpc, type QueryPageProps } from "@/app/prefetch";
import { safePath } from "@/components/account/safe-path";
import { RequiredSecondFactor } from "@/components/members/required-second-factor";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Set up a second factor" };

/** Where members are led whose organization requires a second factor that they do not have. */
export default async function SecondFactorPage({ searchParams }: QueryPageProps) {
  const next = safePath((await searchParams).next);
  if (await getSession()) redirect(next);
  const session = await getSettingUp();
  if (!session) redirect(`/login?next=${encodeURIComponent(next)}`);
  await Promise.all([
    getQueryClient().prefetchQuery(trpc.secondFactor.state.queryOptions()),
    getQueryClient().prefetchQuery(trpc.organizations.list.queryOptions({})),
  ]);
  return (
    <Hydrate>
      <Standalone
        title="Set up a second factor"
        description={`${session.organizationName} requires one of all its members.`}
      >
        <RequiredSecondFactor organizationSlug={session.organizationSlug} next={next} />
      </Standalone>
    </Hydrate>
  );
}
