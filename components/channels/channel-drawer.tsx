"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { ArrowLeft, Ellipsis, Send } from "lucide-react";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { Button } from "@/components/kit/button";
import { Drawer } from "@/components/kit/drawer";
import { IconButton } from "@/components/kit/icon-button";
import { KeyValue } from "@/components/kit/key-value";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import type { DeliveryStatus } from "@/domain/channels/delivery-status";
import { DeliveryDetail } from "./delivery-detail";
import { DeliveryStatusMark, deliveryLooks } from "./delivery-status";
import { channelViews } from "./kinds/registry";
import { MailNote } from "./mail-note";
import type { Channel, Delivery } from "./query";
import { TestResultLine, type ChannelTest } from "./test-result";

export interface ChannelDrawerProps {
  channel: Channel | undefined;
  open: boolean;
  /** The list is loaded, so a channel that is not in it was deleted or filtered out. */
  loaded: boolean;
  test: ChannelTest;
  menu: (channel: Channel) => MenuItem[];
  onClose: () => void;
}

/** A channel beside the list: its recipient, the rules that use it, a test, and every message with its attempts. */
export function ChannelDrawer({ channel, open, loaded, test, menu, onClose }: ChannelDrawerProps) {
  const [delivery, setDelivery] = useQueryState("delivery", parseAsString.withOptions({ history: "push" }));
  const close = () => {
    void setDelivery(null);
    onClose();
  };
  const reason = usePermissions().refusal({ role: "admin" });
  const result = channel && test.results[channel.uid];
  return (
    <Drawer
      open={open}
      onClose={close}
      title={channel?.name ?? "Channel"}
      subtitle={channel && channelViews[channel.type].label}
      actions={
        channel && (
          <>
            <Button
              size="sm"
              icon={<Send aria-hidden />}
              busy={test.sending === channel.uid}
              disabledReason={reason}
              onClick={() => test.send(channel)}
            >
              Send test
            </Button>
            <Menu
              items={menu(channel)}
              trigger={<IconButton label={`Actions for ${channel.name}`} size="sm" icon={<Ellipsis aria-hidden />} />}
            />
          </>
        )
      }
    >
      {channel ? (
        <div className="flex flex-col gap-6">
          {result ? <TestResultLine result={result} /> : <MailNote type={channel.type} own={reason === undefined} />}
          {delivery === null && (
            <KeyValue
              items={[
                [
                  "Recipient",
                  <span key="to" className="font-mono text-meta break-all">
                    {channelViews[channel.type].destination(channel.config)}
                  </span>,
                ],
                [
                  "Used by",
                  channel.rules.length === 0 ? (
                    <span key="none" className="text-muted">
                      No rule yet. Rules name it among their actions.
                    </span>
                  ) : (
                    <ul key="rules">
                      {channel.rules.map((rule) => (
                        <li key={rule.uid}>
                          <Link
                            href={`/rules/${rule.uid}`}
                            className="rounded-control text-accent-text hover:underline"
                          >
                            {rule.name}
                          </Link>
                        </li>
                      ))}
                    </ul>
                  ),
                ],
                ["Created", <InstantTime key="created" value={channel.created_at} precision="minute" />],
                ["Uid", <UidChip key="uid" uid={channel.uid} max={24} />],
              ]}
            />
          )}
          <Deliveries channel={channel} open={delivery} onOpen={(uid) => void setDelivery(uid)} />
        </div>
      ) : loaded ? (
        <p className="text-body text-muted">This channel was deleted, or the filters of the list hide it.</p>
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}

const statuses = [
  { value: "all", label: "All messages" },
  ...Object.entries(deliveryLooks).map(([value, { label }]) => ({ value: value as DeliveryStatus, label })),
] as const;

const events: Readonly<Record<string, string>> = {
  "alert.triggered": "Alert triggered",
  "alert.acknowledged": "Alert acknowledged",
  "alert.resolved": "Alert resolved",
  "channel.test": "Test",
};

function formatTitle({ event, payload }: Delivery): string {
  const alert = typeof payload.alert === "object" && payload.alert !== null ? payload.alert : {};
  const name =
    event !== "channel.test" && "rule_name" in alert && typeof alert.rule_name === "string"
      ? `: ${alert.rule_name}`
      : "";
  return `${events[event] ?? event}${name}`;
}

/** The delivery log, newest first; one message at a time can be expanded to its attempts. */
function Deliveries({
  channel,
  open,
  onOpen,
}: {
  channel: Channel;
  open: string | null;
  onOpen: (uid: string | null) => void;
}) {
  const trpc = useTRPC();
  const [status, setStatus] = useQueryState("delivery_status", parseAsString);
  const { query, rows } = useListQuery(
    trpc.channels.deliveries.infiniteQueryOptions(
      { uid: channel.uid, ...(status && { status }) },
      { ...nextPage, placeholderData: keepPreviousData },
    ),
  );
  const shown = rows?.find((row) => row.uid === open);
  if (query.error && !rows)
    return (
      <ErrorState
        error={query.error}
        title="The delivery log could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!rows) return <SkeletonText lines={4} />;
  if (shown) {
    return (
      <div className="flex flex-col gap-4">
        <div>
          <Button
            size="sm"
            variant="ghost"
            className="-ml-2"
            icon={<ArrowLeft aria-hidden />}
            onClick={() => onOpen(null)}
          >
            Delivery log
          </Button>
        </div>
        <DeliveryDetail delivery={shown} title={formatTitle(shown)} />
      </div>
    );
  }
  return (
    <section>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h3 className="text-table font-semibold">Delivery log</h3>
        <Select
          size="sm"
          aria-label="Which messages"
          className="w-36"
          options={statuses}
          value={statuses.find(({ value }) => value === status)?.value ?? "all"}
          onValueChange={(next) => void setStatus(next === "all" ? null : next)}
        />
      </div>
      {rows.length === 0 && (
        <p className="text-table text-muted">
          {status ? "No messages in this state." : "Nothing was sent yet. Send a test to see it arrive."}
        </p>
      )}
      <ul className="flex flex-col">
        {rows.map((row) => (
          <li key={row.uid} className="border-b last:border-0">
            <button
              type="button"
              onClick={() => onOpen(row.uid)}
              className="-mx-2 flex w-[calc(100%+1rem)] items-center gap-3 rounded-control px-2 py-1.5 text-left text-table hover:bg-hover"
            >
              <span className="w-24 shrink-0">
                <DeliveryStatusMark status={row.status} />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate">{formatTitle(row)}</span>
                {row.error && row.status !== "delivered" && (
                  <span className="block truncate text-meta text-muted">{row.error}</span>
                )}
              </span>
              <span className="shrink-0 text-right text-meta text-subtle">
                <RelativeTime value={row.created_at} rich={false} />
                {row.attempts > 1 && <span className="block">{row.attempts} attempts</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button className="mt-3" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </section>
  );
}
