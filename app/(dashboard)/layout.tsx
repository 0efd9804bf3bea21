import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { getQueryClient, getSession, getSettingUp, getSignedIn, Hydrate, trpc } from "@/app/prefetch";
import { DemoChoiceProvider } from "@/components/demo-fleet/demo-choice";
import { DashboardShell } from "@/components/shell/dashboard-shell";

/** Everything behind the sign-in; visitors return here after signing in. */
export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const session = await getSession();
  if (!session) {
    const next = encodeURIComponent((await headers()).get("x-muster-path") ?? "/");
    if (await getSettingUp()) redirect(`/second-factor?next=${next}`);
    redirect((await getSignedIn()) ? "/organizations" : `/login?next=${next}`);
  }
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.organizations.list.queryOptions({})),
    client.prefetchQuery(trpc.demo.presence.queryOptions()),
  ]);
  return (
    <Hydrate>
      <DemoChoiceProvider userUid={session.userId} organizationUid={session.organizationId}>
        <DashboardShell
          user={{ name: session.username, email: session.email }}
          person={{
            userUid: session.userId,
            username: session.username,
            role: session.role,
            readOnly: session.readOnly,
          }}
          organization={{ uid: session.organizationId, slug: session.organizationSlug, name: session.organizationName }}
        >
          {children}
        </DashboardShell>
      </DemoChoiceProvider>
    </Hydrate>
  );
}
