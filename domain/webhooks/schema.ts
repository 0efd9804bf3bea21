import { z } from "zod";
import { choice, choices, distinct, list, longPage, nonBlank, queryBoolean, text, uid } from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { publishedAs } from "@/domain/published";
import { moment, timestamp } from "@/domain/time/fields";
import { deliveryStatuses, maxReplayed, webhookStates } from "@/domain/webhooks/delivery-status";

export const WebhookEvent = choice(platformEventTypes);

const fields = {
  target_url: nonBlank(maxUrlLength),
  events: distinct(WebhookEvent, 100, 1),
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

/** What the forms of the dashboard hold. */
export const WebhookForm = z.object({ target_url: fields.target_url, events: fields.events });

export const WebhookFilters = z.object(longPage());
export type WebhookFilters = z.output<typeof WebhookFilters>;

/** The list of the dashboard. */
export const WebhookListFilters = z.object({
  state: choices(webhookStates).optional(),
  event_type: choices(platformEventTypes).optional(),
  demo: queryBoolean().optional(),
  ...longPage(),
});
export type WebhookListFilters = z.output<typeof WebhookListFilters>;

export const WebhookUid = z.object({ uid: uid() });
export const DeliveryUid = z.object({ uid: uid() });

/** An HTTP status in a query string. */
const httpStatus = () =>
  publishedAs(
    z
      .string()
      .regex(/^[1-5]\d\d$/, { error: "Enter an HTTP status such as 503." })
      .transform(Number),
    z.int().min(100).max(599),
  );

/** A status of the receiver, such as `503`, or one of `faultCauses`. */
const cause = () => text(32);

const deliveryFilters = {
  /** Additive filters. */
  subscription: text(1_000).optional(),
  status: choices(deliveryStatuses).optional(),
  event_type: text(255).optional(),
  response_status: httpStatus().optional(),
  object: text(255).optional(),
};

export const DeliveryFilters = z.object({
  ...deliveryFilters,
  since: timestamp().optional(),
  until: timestamp().optional(),
  ...longPage(),
});
export type DeliveryFilters = z.output<typeof DeliveryFilters> & { cause?: string | undefined };

/** The same in the address of a screen, with spans such as `-24h`. */
export const DeliveryListFilters = z.object({
  ...deliveryFilters,
  cause: cause().optional(),
  since: moment().optional(),
  until: moment().optional(),
  ...longPage(),
});

const perSecond = z.int().min(1).max(500);

const replayed = {
  cause: cause().optional(),
  /** Exactly these, also delivered ones. */
  uids: list(uid(), maxReplayed).optional(),
};

/** Resends deliveries that failed since a time; default: in the last week. */
export const ReplayDeliveries = z.object({
  since: timestamp().optional(),
  /** Additive, like all below. */
  until: timestamp().optional(),
  ...replayed,
  /** At most so many a second; all immediately unless given. */
  per_second: perSecond.optional(),
});

/** What a replay of the dashboard would send: what failed, and what is waiting for its next attempt after a failure. */
export const PreviewReplay = z.object({
  ...WebhookUid.shape,
  since: moment().optional(),
  until: moment().optional(),
  ...replayed,
});
export const StartReplay = z.object({ ...PreviewReplay.shape, per_second: perSecond });

export const ReplayUid = z.object({ uid: uid() });

/** A URL while it is typed; `uid` is the webhook that is being changed. */
export const CheckTarget = z.object({ target_url: text(maxUrlLength), uid: uid().optional() });

export type CheckTarget = z.output<typeof CheckTarget>;

export const FailureGroupFilters = z.object({
  ...WebhookUid.shape,
  since: moment().optional(),
  until: moment().optional(),
});
