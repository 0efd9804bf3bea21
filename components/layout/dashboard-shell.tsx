"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { useAlertBadges } from "@/components/alerts/open-badge";
import { signOut } from "@/components/account/sign-out";
import { LiveUpdates } from "@/components/changes/live";
import { StaleBanner } from "@/components/changes/stale-banner";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { PaletteSearch } from "./command-palette";
import { openOrganization } from "./open-organization";
import { Shell } from "./shell";

// Fetched when it is opened: with it come all that forms are made of.
const NewOrganizationDialog = lazy(async () => ({
  default: (await import("@/components/organizations/new-organization-dialog")).NewOrganizationDialog,
}));

export interface DashboardShellProps {
  user: { name: string; email: string };
  organization: { uid: string; slug: string; name: string };
  children: ReactNode;
}

/** The shell with what it shows of the server: organizations, device search, live updates. */
export function DashboardShell({ user, organization, children }: DashboardShellProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [creating, setCreating] = useState(false);
  const organizations = useQuery(trpc.organizations.list.queryOptions({})).data?.results ?? [organization];

  const searches = useMemo<readonly PaletteSearch[]>(
    () => [
      {
        heading: "Devices",
        search: async (text, signal) => {
          const { results } = await client.devices.list.query({ search: text, limit: 8 }, { signal });
          return results.map((device) => ({
            key: device.uid,
            label: device.name,
            hint: device.type,
            onSelect: () => router.push(`/devices/${device.uid}`),
          }));
        },
      },
    ],
    [client, router],
  );

  const switchTo = (slug: string) => {
    // Nothing of the other organization may stay on screen or in the cache.
    queryClient.clear();
    openOrganization(slug);
  };

  const badges = useAlertBadges();
  return (
    <Shell
      user={user}
      badges={badges}
      organizations={{
        organizations: organizations.map(({ uid, name }) => ({ uid, name })),
        currentUid: organization.uid,
        onSwitch: (uid) => {
          const chosen = organizations.find((each) => each.uid === uid);
          if (chosen) switchTo(chosen.slug);
        },
        onCreate: () => setCreating(true),
      }}
      onSignOut={() => {
        queryClient.clear();
        void signOut();
      }}
      searches={searches}
      banner={<StaleBanner />}
      actions={[{ key: "register-device", label: "Register device", onSelect: () => router.push("/devices?register=1") }]}
    >
      <LiveUpdates organizationUid={organization.uid} />
      <Suspense>{creating && <NewOrganizationDialog open onOpenChange={setCreating} onCreated={switchTo} />}</Suspense>
      {children}
    </Shell>
  );
}
