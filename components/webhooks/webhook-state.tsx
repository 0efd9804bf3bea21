import { Status, type Tone } from "@/components/product/status";
import type { WebhookState } from "@/domain/webhooks/delivery-status";
import { getState, slowMs, type Webhook } from "./query";

export const stateLooks: Readonly<Record<WebhookState, { tone: Tone; label: string }>> = {
  on: { tone: "online", label: "On" },
  failing: { tone: "warning", label: "Failing" },
  turned_off: { tone: "critical", label: "Turned off" },
  off: { tone: "neutral", label: "Off" },
};

/** Whether a webhook is on and how it does, as shape and label. */
export function WebhookStateMark({ webhook, strong }: { webhook: Webhook; strong?: boolean }) {
  const { tone, label } = stateLooks[getState(webhook)];
  if (getState(webhook) === "on" && webhook.last === null) return <Status tone="info">Never used</Status>;
  if (getState(webhook) === "on" && (webhook.p95_ms ?? 0) > slowMs)
    return (
      <Status tone="warning" strong={strong}>
        Slow
      </Status>
    );
  return (
    <Status tone={tone} strong={strong}>
      {label}
    </Status>
  );
}
