import { z } from "zod";
import { choice, choices, distinct, longPage, nonBlank, text, uid } from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { timestamp } from "@/domain/time/fields";

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const fields = {
  target_url: nonBlank(maxUrlLength),
  events: distinct(choice(platformEventTypes), 100, 1),
  is_active: z.boolean(),
  secret: z
    .string()
    .min(8, { error: "Ensure this field has at least 8 characters." })
    .max(255, { error: "Ensure this field has no more than 255 characters." }),
};

export const CreateWebhook = z.object({
  target_url: fields.target_url,
  events: fields.events,
  /** Generated when absent; shown only in this response. */
  secret: fields.secret.optional(),
  is_active: fields.is_active.optional(),
});
export type CreateWebhook = z.output<typeof CreateWebhook>;

/** A replacement of everything but the secret. */
export const ReplaceWebhook = z.object({
  target_url: fields.target_url,
  events: fields.events,
  is_active: fields.is_active.default(true),
});
export const UpdateWebhook = z.object({
  target_url: fields.target_url.optional(),
  events: fields.events.optional(),
  is_active: fields.is_active.optional(),
});
export type UpdateWebhook = z.output<typeof UpdateWebhook>;

export const WebhookFilters = z.object(longPage());
export type WebhookFilters = z.output<typeof WebhookFilters>;

export const WebhookUid = z.object({ uid: uid() });
export const DeliveryUid = z.object({ uid: uid() });

export const DeliveryFilters = z.object({
  /** Additive filters. */
  subscription: text(1_000).optional(),
  status: choices(deliveryStatuses).optional(),
  event_type: text(255).optional(),
  ...longPage(),
});
export type DeliveryFilters = z.output<typeof DeliveryFilters>;

/** Resends deliveries that failed since a time; default: in the last week. */
export const ReplayDeliveries = z.object({ since: timestamp().optional() });
export type ReplayDeliveries = z.output<typeof ReplayDeliveries>;
