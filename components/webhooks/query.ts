import { type AddressValues, filterInput } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { WebhookState } from "@/domain/webhooks/delivery-status";

export type Webhook = Outputs["webhooks"]["overview"]["results"][number];
export type DeliveryRow = Outputs["deliveries"]["list"]["results"][number];
export type DeliveryView = Outputs["deliveries"]["get"];
export type Attempt = DeliveryView["attempt_log"][number];
export type FailureGroup = Outputs["deliveries"]["groups"]["groups"][number];
export type Replay = Outputs["webhooks"]["replays"][number];

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["webhooks"]["overview"] => ({
  ...filterInput(["state", "event_type", "demo"], values),
  limit: 50,
});

const deliveryKeys = ["status", "event_type", "response_status", "cause", "object", "since", "until"];

/** The query of a webhook's deliveries for the filters in the address. */
export const deliveryInput = (webhook: string, values: AddressValues): Inputs["deliveries"]["list"] => ({
  ...filterInput(deliveryKeys, values),
  subscription: webhook,
  limit: 50,
});

/** The state of a webhook as lists name it. */
export function getState({
  is_active: isActive,
  disabled_reason: reason,
  failing_since: failing,
}: Pick<Webhook, "is_active" | "disabled_reason" | "failing_since">): WebhookState {
  if (isActive) return failing === null ? "on" : "failing";
  return reason === "" ? "off" : "turned_off";
}

/** Milliseconds above which a receiver is slow: a third of the time that it has. */
export const slowMs = 5_000;
