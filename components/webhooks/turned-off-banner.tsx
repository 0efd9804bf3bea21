"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import { useTRPC } from "@/components/trpc/client";
import { causeText } from "@/domain/webhooks/failure-cause";
import type { Webhook } from "./query";
import { ReplayDialog } from "./replay-dialog";
import type { WebhookActions } from "./use-webhook-actions";

const whys: Readonly<Record<string, string>> = {
  gone: "The receiver answered 410: it is gone for good.",
  failing: "Nothing was delivered for 120 hours.",
};

/** Says that Muster turned a webhook off, since when and why, and offers to turn it on and send what was missed. */
export function TurnedOffBanner({ webhook, actions }: { webhook: Webhook; actions: WebhookActions }) {
  const trpc = useTRPC();
  const [replaying, setReplaying] = useState(false);
  const preview = useQuery(trpc.webhooks.replayPreview.queryOptions({ uid: webhook.uid }));
  if (webhook.is_active || webhook.disabled_reason === "") return null;
  const count = preview.data?.count ?? 0;
  const label = preview.data?.more ? `${formatNumber(count)} and more` : formatNumber(count);
  return (
    <div
      role="alert"
      className="mx-4 mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-panel border border-critical px-3 py-2 text-table sm:mx-6"
    >
      <CircleAlert aria-hidden className="size-4 shrink-0 text-critical" />
      <p className="min-w-0 flex-1 basis-72">
        <span className="font-medium text-critical-text">
          Turned off since <InstantTime value={webhook.disabled_at} precision="minute" />.
        </span>{" "}
        {whys[webhook.disabled_reason]}
        {webhook.failing && ` Last error: ${causeText(webhook.failing.cause)}.`} What happens while it is off is not
        sent later.
      </p>
      {count > 0 && (
        <Button size="sm" disabledReason={actions.reason} onClick={() => void actions.turn(webhook, true)}>
          Turn on
        </Button>
      )}
      <Button
        size="sm"
        variant="primary"
        disabledReason={actions.reason}
        onClick={() => (count > 0 ? setReplaying(true) : void actions.turn(webhook, true))}
      >
        {count > 0 ? `Turn on and replay ${label}` : "Turn on"}
      </Button>
      {replaying && <ReplayDialog webhook={webhook} selection={{}} turnOn onClose={() => setReplaying(false)} />}
    </div>
  );
}
