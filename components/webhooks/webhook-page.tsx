"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Send } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Switch } from "@/components/kit/switch";
import { Tabs, useTab } from "@/components/kit/tabs";
import { InstantTime } from "@/components/kit/time";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { refuseShortcut } from "@/components/product/permissions";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { DeliveryList } from "./delivery-list";
import { TurnedOffBanner } from "./turned-off-banner";
import { useWebhookActions } from "./use-webhook-actions";
import { VerifyForm } from "./verify-form";
import { VerifyingCode } from "./verifying-code";
import { WebhookFacts } from "./webhook-facts";
import { WebhookStateMark } from "./webhook-state";

const list = { label: "Webhooks", href: "/webhooks" };
const tabs = ["deliveries", "settings", "verify", "code"] as const;

/** One webhook: what it does, and everything that was sent to it. */
export function WebhookPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  // Once deleted here nothing of it is requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.webhooks.page.queryOptions({ uid }), enabled: !deleted });
  const actions = useWebhookActions(() => {
    setDeleted(true);
    router.push("/webhooks");
  });
  const webhook = query.data;
  usePageTitle(webhook && getHost(webhook.target_url));
  useShortcuts([
    refuseShortcut(
      { keys: "t", label: "Send a test", group: "Webhook", run: () => void actions.test(uid) },
      actions.reason,
    ),
  ]);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={webhook && getHost(webhook.target_url)}
        noun="webhook"
        deletedMessage="This webhook was deleted, and its deliveries with it."
        list={list}
        query={query}
      />
    );
  }
  if (!webhook) return null;
  return (
    <>
      <PageHeader
        title={<span title={webhook.target_url}>{getHost(webhook.target_url)}</span>}
        trail={[list]}
        status={
          <span className="flex items-center gap-3">
            <Switch
              checked={webhook.is_active}
              disabledReason={actions.reason}
              aria-label={`${getHost(webhook.target_url)} is on`}
              onCheckedChange={(on) => void actions.turn(webhook, on)}
            />
            <WebhookStateMark webhook={webhook} strong />
          </span>
        }
        meta={
          <>
            {webhook.demo && <Badge>Demo</Badge>}
            <span className="min-w-0 font-mono text-meta break-all">{webhook.target_url}</span>
            <span>{plural(webhook.events.length, "event")}</span>
            {webhook.previous_secret_until && (
              <span>
                The old secret signs too until <InstantTime value={webhook.previous_secret_until} precision="minute" />
              </span>
            )}
            <UidChip uid={webhook.uid} />
          </>
        }
        actions={
          <>
            <CopyLink compact />
            <Button
              icon={<Send aria-hidden />}
              busy={actions.testing === uid}
              disabledReason={actions.reason}
              onClick={() => void actions.test(uid)}
            >
              Send test
            </Button>
            <Menu
              items={actions.menu(webhook)}
              trigger={
                <IconButton label="Actions for this webhook" variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <TurnedOffBanner webhook={webhook} actions={actions} />
      <div className="flex min-h-0 flex-1">
        <aside
          aria-label="Settings"
          className="w-80 shrink-0 overflow-y-auto border-t border-r px-6 py-4 max-xl:hidden"
        >
          <WebhookFacts webhook={webhook} />
        </aside>
        <Tabs
          label="About this webhook"
          layout="page"
          className="flex-1"
          value={tab}
          onValueChange={(next) => void setTab(next)}
          tabs={[
            {
              value: "deliveries",
              label: "Deliveries",
              content: (
                <div className="flex min-h-0 flex-1 flex-col pt-3">
                  {!deleted && <DeliveryList webhook={webhook} actions={actions} />}
                </div>
              ),
            },
            {
              value: "settings",
              label: "Settings",
              content: (
                <PageBody narrow>
                  {/* On a wide screen they are beside the tabs. */}
                  <div className="xl:hidden">
                    <WebhookFacts webhook={webhook} />
                  </div>
                  <div className="flex flex-wrap gap-2">
                    <Button disabledReason={actions.reason} onClick={() => actions.edit(webhook)}>
                      Change
                    </Button>
                    <Button disabledReason={actions.reason} onClick={() => actions.rotate(webhook)}>
                      Rotate secret
                    </Button>
                    <Button variant="danger" disabledReason={actions.reason} onClick={() => actions.remove(webhook)}>
                      Delete
                    </Button>
                  </div>
                </PageBody>
              ),
            },
            {
              value: "verify",
              label: "Verify",
              content: (
                <PageBody narrow>
                  <VerifyForm />
                </PageBody>
              ),
            },
            {
              value: "code",
              label: "Code",
              content: (
                <PageBody narrow>
                  <VerifyingCode />
                </PageBody>
              ),
            },
          ]}
        />
      </div>
      {actions.dialogs}
    </>
  );
}

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
