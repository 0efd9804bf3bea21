"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { signOut } from "next-auth/react";
import { useRouter } from "next/navigation";
import { useMemo, useState, type ReactNode } from "react";
import { LiveUpdates } from "@/components/changes/live";
import { NewOrganizationDialog } from "@/components/organizations/new-organization-dialog";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { PaletteSearch } from "./command-palette";
import { openOrganization } from "./open-organization";
import { Shell } from "./shell";

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

  return (
    <Shell
      user={user}
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
        void signOut({ callbackUrl: "/login" });
      }}
      searches={searches}
      actions={[{ key: "register-device", label: "Register device", onSelect: () => router.push("/devices?register=1") }]}
    >
      <LiveUpdates organizationUid={organization.uid} />
      <NewOrganizationDialog open={creating} onOpenChange={setCreating} onCreated={switchTo} />
      {children}
    </Shell>
  );
}
