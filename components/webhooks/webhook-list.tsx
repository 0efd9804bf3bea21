"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { EmptyState } from "@/components/kit/empty-state";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut } from "@/components/product/permissions";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { webhookStates } from "@/domain/webhooks/delivery-status";
import { listInput, type Webhook } from "./query";
import { useWebhookActions } from "./use-webhook-actions";
import { webhookColumns } from "./webhook-columns";
import { WebhookFacts } from "./webhook-facts";
import { WebhookStateMark, stateLooks } from "./webhook-state";

const definitions = [
  {
    key: "state",
    label: "State",
    options: webhookStates.map((value) => ({ value, label: stateLooks[value].label })),
    multiple: true,
  },
  {
    key: "event_type",
    label: "Event",
    options: platformEventTypes.map((value) => ({ value, label: value })),
    multiple: true,
  },
];

const createCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/webhooks/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"target_url": "https://example.com/muster", "events": ["export.completed"]}'

# or look at messages on this machine first, in Muster's folder
npm run muster -- listen --port 4000 --secret "$MUSTER_WEBHOOK_SECRET"`;

const getHref = ({ uid }: Webhook): string => `/webhooks/${uid}`;

/** Every webhook with its last 24 hours. */
export function WebhookList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const router = useRouter();
  const list = useListPage({
    definitions,
    query: (values) => trpc.webhooks.overview.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.webhooks.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const actions = useWebhookActions((uid) => list.deselect([uid]));
  const chosen = list.selectedRow;
  useShortcuts([
    refuseShortcut(
      { keys: "n", label: "New webhook", group: "Webhooks", run: () => router.push("/webhooks/new") },
      actions.reason,
    ),
    refuseShortcut(
      {
        keys: "t",
        label: "Send a test to the open webhook",
        group: "Webhooks",
        run: () => void (chosen && actions.test(chosen.uid)),
      },
      actions.reason,
    ),
  ]);
  const create = (
    <ButtonLink variant="primary" icon={<Plus aria-hidden />} href="/webhooks/new" disabledReason={actions.reason}>
      New webhook
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        meta={
          <>
            What happens here, sent to your own services.
            <DocsTextLink href={guideHref("webhooks", "webhook-subscriptions")}>How webhooks work</DocsTextLink>
          </>
        }
        actions={list.isEmpty ? undefined : create}
      />
      <ListTable
        {...list.table}
        list={list}
        id="webhooks"
        label="Webhooks"
        noun={["webhook", "webhooks"]}
        columns={webhookColumns}
        rowLabel={(webhook) => webhook.target_url}
        href={getHref}
        rowMenu={actions.menu}
        filterBar={{ label: "Filter webhooks", placeholder: "Filter by state or event" }}
        tools={
          <>
            <SavedViews screen="webhooks" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No webhooks yet"
            description="Muster tells your service what happened, signed, and tries for days."
            action={create}
            curl={{ command: createCommand(origin), guide: guideHref("webhooks", "webhook-subscriptions") }}
          />
        }
      />
      <ResourceDrawer<Webhook>
        uid={list.selected}
        noun="webhook"
        resource={chosen}
        getName={(webhook) => webhook.target_url}
        subtitle={(webhook) => <WebhookStateMark webhook={webhook} strong />}
        links={(webhook) => (
          <>
            <ButtonLink size="sm" href={getHref(webhook)}>
              Open
            </ButtonLink>
            <CopyLink compact size="sm" />
          </>
        )}
        menu={actions.menu}
        query={list.query}
        onClose={() => list.select(null)}
      >
        {(webhook) => <WebhookFacts webhook={webhook} />}
      </ResourceDrawer>
      {actions.dialogs}
    </>
  );
}
