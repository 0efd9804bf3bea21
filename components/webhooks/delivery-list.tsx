"use client";

import { useQueryClient } from "@tanstack/react-query";
import { RotateCw, Send } from "lucide-react";
import { useQueryState, parseAsString } from "nuqs";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { exampleTime } from "@/components/kit/filters";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { toast } from "@/components/product/toast";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { deliveryStatuses } from "@/domain/webhooks/delivery-status";
import { causeText, faultCauses } from "@/domain/webhooks/failure-cause";
import { deliveryColumns } from "./delivery-columns";
import { DeliveryDrawer } from "./delivery-drawer";
import { deliveryLooks, isRetrying } from "./delivery-status";
import { FailureGroups } from "./failure-groups";
import { deliveryInput, type DeliveryRow, type Webhook } from "./query";
import { ReplayDialog } from "./replay-dialog";
import { ReplayProgress } from "./replay-progress";
import type { WebhookActions } from "./use-webhook-actions";

const spans = ["-1h", "-24h", "-7d"];
const definitions = [
  {
    key: "status",
    label: "Status",
    options: deliveryStatuses.map((value) => ({ value, label: deliveryLooks[value].label })),
    multiple: true,
  },
  {
    key: "event_type",
    label: "Event",
    options: [...platformEventTypes, "test.ping"].map((value) => ({ value, label: value })),
  },
  { key: "response_status", label: "Code", suggest: () => ["200", "404", "429", "500", "502", "503"], example: "503" },
  {
    key: "cause",
    label: "Cause",
    suggest: () => [...faultCauses],
    example: "timeout",
  },
  { key: "object", label: "Object", example: "uid" },
  { key: "since", label: "Since", isTime: true, suggest: () => spans, example: "-24h" },
  { key: "until", label: "Until", isTime: true, suggest: () => spans, example: exampleTime },
];

/** The deliveries of a webhook, what fails of them, and what is being sent again. */
export function DeliveryList({ webhook, actions }: { webhook: Webhook; actions: WebhookActions }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [, setCause] = useQueryState("cause", parseAsString.withOptions({ history: "push" }));
  const [, setObject] = useQueryState("object", parseAsString.withOptions({ history: "push" }));
  const [replaying, setReplaying] = useState<{ uids: string[]; clear: () => void } | null>(null);
  const list = useListPage({
    definitions,
    holdsFresh: true,
    query: (values) => trpc.deliveries.list.infiniteQueryOptions(deliveryInput(webhook.uid, values), nextPage),
    probe: (values) => trpc.deliveries.list.queryOptions({ ...deliveryInput(webhook.uid, values), limit: 1 }),
  });
  const off = webhook.is_active ? undefined : "The webhook is turned off. Turn it on first.";
  const reason = actions.reason ?? off;
  const refresh = () => queryClient.invalidateQueries(trpc.deliveries.pathFilter());

  const replayOne = async (uid: string) => {
    try {
      const retrying = list.all?.some((row) => row.uid === uid && isRetrying(row)) ?? false;
      if (retrying) {
        await client.webhooks.replay.mutate({ uid: webhook.uid, uids: [uid], per_second: 1 });
        toast.success("It is sent now");
      } else {
        const again = await client.deliveries.redeliver.mutate({ uid });
        list.showOwn([again.uid]);
        toast.success("Sent again", { action: { label: "Open", onClick: () => list.select(again.uid) } });
      }
      await refresh();
    } catch (error) {
      toast.failure(error, { title: "It was not sent again" });
    }
  };
  const sendTest = (
    <Button
      variant="primary"
      icon={<Send aria-hidden />}
      busy={actions.testing === webhook.uid}
      disabledReason={actions.reason}
      onClick={() => void actions.test(webhook.uid)}
    >
      Send test
    </Button>
  );
  return (
    <>
      <FailureGroups webhook={webhook} reason={actions.reason} onFilter={(cause) => void setCause(cause)} />
      <ReplayProgress uid={webhook.uid} reason={actions.reason} />
      <ListTable
        {...list.table}
        list={list}
        id="deliveries"
        label="Deliveries"
        noun={["delivery", "deliveries"]}
        columns={deliveryColumns}
        rowLabel={(row) => `${row.event_type} ${row.object?.name ?? ""}`.trim()}
        rowMenu={(row: DeliveryRow) => [
          {
            label: "Replay",
            icon: <RotateCw aria-hidden />,
            disabledReason:
              reason ?? (row.status === "pending" && !isRetrying(row) ? "It is still on its way." : undefined),
            onSelect: () => void replayOne(row.uid),
          },
        ]}
        bulkActions={(uids, clear) => (
          <Button
            size="sm"
            icon={<RotateCw aria-hidden />}
            disabledReason={reason}
            onClick={() => setReplaying({ uids, clear })}
          >
            Replay
          </Button>
        )}
        filterBar={{
          label: "Filter deliveries",
          placeholder: "Filter by status, event, code or time",
          filters: {
            ...list.filters,
            values: {
              ...list.filters.values,
              cause: list.filters.values.cause ? causeText(list.filters.values.cause) : null,
            },
          },
        }}
        tools={<SavedViews screen="deliveries" />}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="Nothing was sent yet"
            description="Send a test to see one."
            action={sendTest}
          />
        }
      />
      <DeliveryDrawer
        uid={list.selected}
        webhook={webhook}
        reason={reason}
        onReplay={(uid) => void replayOne(uid)}
        onOpen={list.select}
        onFilter={(object) => {
          list.select(null);
          void setObject(object);
        }}
      />
      {replaying && (
        <ReplayDialog
          webhook={webhook}
          selection={{ uids: replaying.uids }}
          onClose={() => setReplaying(null)}
          onStarted={replaying.clear}
        />
      )}
    </>
  );
}
