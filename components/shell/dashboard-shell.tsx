"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState, type ReactNode } from "react";
import { signOut } from "@/components/account/sign-out";
import { useDemoChoice } from "@/components/demo-fleet/demo-choice";
import { DemoSwitch } from "@/components/demo-fleet/demo-switch";
import { ExportWatch } from "@/components/exports/export-watch";
import { StepWatch } from "@/components/first-run/step-watch";
import { clearDrafts } from "@/components/kit/draft-storage";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { DefaultZoneProvider } from "@/components/kit/preferences-provider";
import { LiveUpdates } from "@/components/live/live";
import { StaleBanner } from "@/components/live/stale-banner";
import { PermissionsProvider } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { FileDrop } from "@/components/upload/file-drop";
import { UploadStatus } from "@/components/upload/upload-status";
import { useWebhookBadges } from "@/components/webhooks/turned-off-badge";
import { ownLogoPath } from "@/domain/organizations/logo";
import { explainRefusal, type Need, type Person } from "@/domain/permissions";
import { useAlertBadges } from "./alert-badges";
import { AlertBell } from "./alert-bell";
import type { PaletteItem } from "./command-palette";
import { openOrganization } from "./open-organization";
import { useSearches } from "./searches";
import { Shell } from "./shell";
import { useSignOutQuestion } from "./unsent-work";
import { UpdatedStrip } from "./updated-strip";

// Loaded when it is opened, because it brings the form library.
const NewOrganizationDialog = lazyDialog(
  async () => (await import("@/components/organizations/new-organization-dialog")).NewOrganizationDialog,
);

const actions: readonly (PaletteItem & { need: Need })[] = [
  {
    key: "register-device",
    label: "Register device",
    keywords: "add new robot",
    href: "/devices?register=1",
    need: { role: "admin" },
  },
  {
    key: "upload-recording",
    label: "Upload recording",
    keywords: "add new mcap bag db3 ulog file",
    href: "/recordings?upload=1",
    need: {},
  },
  {
    key: "new-export",
    label: "New export",
    keywords: "create download yolo json training file",
    href: "/exports/new",
    need: {},
  },
  { key: "new-rule", label: "New rule", keywords: "create add condition", href: "/rules/new", need: {} },
  {
    key: "new-silence",
    label: "New silence",
    keywords: "create mute maintenance",
    href: "/settings/silences?new=1",
    need: {},
  },
  {
    key: "register-agent",
    label: "Register agent",
    keywords: "add new program bot",
    href: "/agents?register=1",
    need: { role: "admin" },
  },
];

export interface DashboardShellProps {
  user: { name: string; email: string };
  person: Person;
  organization: { uid: string; slug: string; name: string };
  children: ReactNode;
}

/** The shell with its data from the server: organizations, device search, live updates. */
export function DashboardShell({ user, person, organization, children }: DashboardShellProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [creating, setCreating] = useState(false);
  const listed = useQuery(trpc.organizations.list.queryOptions({})).data?.results;
  const organizations = listed?.filter((each) => each.deletes_at === null) ?? [{ ...organization, logo_url: null }];

  const searches = useSearches();
  const { choice } = useDemoChoice();

  const switchTo = (slug: string) => {
    // Nothing of the other organization may remain on screen or in the cache.
    queryClient.clear();
    clearDrafts();
    openOrganization(slug);
  };

  const leaving = useSignOutQuestion(person.userUid, () => {
    queryClient.clear();
    clearDrafts();
    void signOut();
  });

  const badges = { ...useAlertBadges(), ...useWebhookBadges() };
  const zone = listed?.find(({ uid }) => uid === organization.uid)?.settings.time_zone ?? null;
  return (
    <PermissionsProvider person={person}>
      <DefaultZoneProvider zone={zone}>
        <Shell
          user={user}
          viewOnly={person.readOnly}
          badges={badges}
          organizations={{
            organizations: organizations.map((each) => ({
              uid: each.uid,
              name: each.name,
              logo: ownLogoPath(each.logo_url),
            })),
            currentUid: organization.uid,
            onSwitch: (uid) => {
              const chosen = organizations.find((each) => each.uid === uid);
              if (chosen) switchTo(chosen.slug);
            },
            onCreate: () => setCreating(true),
          }}
          onSignOut={leaving.ask}
          searches={searches}
          choice={choice && <DemoSwitch />}
          banner={
            <>
              <UpdatedStrip />
              <StaleBanner />
            </>
          }
          bell={
            <>
              <UploadStatus />
              <AlertBell />
            </>
          }
          actions={actions.map(({ need, ...item }) => ({ ...item, disabledReason: explainRefusal(person, need) }))}
        >
          <LiveUpdates organizationUid={organization.uid} />
          <StepWatch />
          <ExportWatch />
          <FileDrop />
          {leaving.question}
          <Suspense>
            {creating && <NewOrganizationDialog open onOpenChange={setCreating} onCreated={switchTo} />}
          </Suspense>
          {children}
        </Shell>
      </DefaultZoneProvider>
    </PermissionsProvider>
  );
}
