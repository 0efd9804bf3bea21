"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, ScrollText, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { None } from "@/components/kit/none";
import { PageHeader } from "@/components/kit/page-header";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { channelTypes } from "@/domain/channels/channel-type";
import { guideHref } from "@/domain/docs/guides";
import { ChannelDialog } from "./channel-dialog";
import { ChannelDrawer } from "./channel-drawer";
import { DeliveryStatusMark } from "./delivery-status";
import { channelViews } from "./kinds/registry";
import { type Channel, listInput } from "./query";
import { useChannelTest } from "./test-result";

const definitions = [
  {
    key: "type",
    label: "Kind",
    options: channelTypes.map((value) => ({ value, label: channelViews[value].label })),
    multiple: true,
  },
];

const columns: readonly DataTableColumn<Channel>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    cell: (channel) => (
      <span className="flex min-w-0 items-center gap-2">
        <Truncate text={channel.name} />
        {channel.demo && <Badge>Demo</Badge>}
      </span>
    ),
  },
  { id: "type", header: "Kind", width: 136, narrow: "meta", cell: (channel) => channelViews[channel.type].label },
  {
    id: "destination",
    header: "Recipient",
    minWidth: 200,
    cell: (channel) => (
      <Truncate
        text={channelViews[channel.type].destination(channel.config)}
        className="font-mono text-meta text-muted"
      />
    ),
  },
  {
    id: "rules",
    header: "Used by",
    width: 120,
    cell: (channel) =>
      channel.rules.length === 0 ? (
        <span className="text-subtle">No rule</span>
      ) : (
        <span title={channel.rules.map((rule) => rule.name).join(", ")}>{plural(channel.rules.length, "rule")}</span>
      ),
  },
  {
    id: "last",
    header: "Last message",
    width: 176,
    narrow: "trailing",
    cell: (channel) =>
      channel.last ? (
        <span className="flex items-center gap-2" title={channel.last.error ?? undefined}>
          <DeliveryStatusMark status={channel.last.status} />
          <RelativeTime value={channel.last.at} rich={false} className="text-muted" />
        </span>
      ) : (
        <span className="text-subtle">Nothing sent yet</span>
      ),
  },
  {
    id: "failed",
    header: "Failed",
    width: 96,
    align: "right",
    cell: (channel) =>
      channel.failed === 0 ? (
        <None />
      ) : (
        <span title="Of its newest 100 messages" className="text-error-text">
          {channel.failed}
        </span>
      ),
  },
];

const createCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/fleet/alerts/channels/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "On-call", "type": "email", "config": {"recipients": ["oncall@example.com"]}}'`;

/** Every channel, the rules that use it, and the state of its messages. */
export function ChannelList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const [creating, setCreating] = useState(false);
  const [changing, setChanging] = useState<Channel | null>(null);
  const [deleting, setDeleting] = useState<Channel | null>(null);
  const test = useChannelTest();
  const origin = useOrigin();
  const list = useListPage({
    definitions,
    query: (values) => trpc.channels.overview.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.channels.list.queryOptions({ ...listInput(values), limit: 1 }),
  });

  const remove = async (channel: Channel) => {
    try {
      await client.channels.delete.mutate({ uid: channel.uid });
    } catch (error) {
      toast.failure(error, { title: `${channel.name} was not deleted` });
      throw error;
    }
    toast.success(`${channel.name} was deleted`);
    list.deselect([channel.uid]);
    await queryClient.invalidateQueries(trpc.channels.pathFilter());
  };
  const menu = (channel: Channel): MenuItem[] => [
    { label: "Send test", icon: <Send aria-hidden />, disabledReason: reason, onSelect: () => test.send(channel) },
    { label: "Delivery log", icon: <ScrollText aria-hidden />, onSelect: () => list.select(channel.uid) },
    { label: "Change", icon: <Pencil aria-hidden />, disabledReason: reason, onSelect: () => setChanging(channel) },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: reason,
      onSelect: () => setDeleting(channel),
    },
  ];
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} disabledReason={reason} onClick={() => setCreating(true)}>
      Create channel
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Channels"
        meta={
          <>
            Where alerts are sent.
            <DocsTextLink href={guideHref("webhooks", "alert-channels")}>How webhooks are sent and signed</DocsTextLink>
          </>
        }
        actions={list.isEmpty ? undefined : create}
      />
      <ListTable
        {...list.table}
        list={list}
        id="channels"
        label="Channels"
        noun={["channel", "channels"]}
        columns={columns}
        rowLabel={(channel) => channel.name}
        rowMenu={menu}
        filterBar={{ label: "Filter channels", placeholder: "Filter by kind" }}
        tools={<SavedViews screen="channels" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No channels yet"
            description="A channel delivers alerts to Slack, e-mail, PagerDuty, Microsoft Teams or a webhook of your own. Rules name the channels they notify."
            action={create}
            curl={{ command: createCommand(origin), guide: guideHref("alerts", "channels") }}
          />
        }
      />
      <ChannelDrawer
        channel={list.selectedRow}
        open={list.selected !== null}
        loaded={list.all !== undefined && !list.query.isPlaceholderData}
        test={test}
        menu={menu}
        onClose={() => list.select(null)}
      />
      {creating && <ChannelDialog onClose={() => setCreating(false)} onCreated={list.select} />}
      {changing && <ChannelDialog channel={changing} onClose={() => setChanging(null)} />}
      {deleting && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setDeleting(null)}
          title={`Delete ${deleting.name}?`}
          description={
            deleting.rules.length > 0
              ? `These rules still notify it: ${deleting.rules.map((rule) => rule.name).join(", ")}. Remove it from them first.`
              : "Its delivery log is deleted too. Waiting messages are not sent."
          }
          action="Delete channel"
          onConfirm={() => remove(deleting)}
        />
      )}
    </>
  );
}
