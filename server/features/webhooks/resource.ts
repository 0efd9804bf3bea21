import { z } from "zod";
import { eventObjectKinds } from "@/domain/platform-events/event-object";
import { deliveryStatuses, replayStatuses } from "@/domain/webhooks/delivery-status";

export const WebhookResource = z.object({
  uid: z.string(),
  target_url: z.string(),
  events: z.array(z.string()),
  is_active: z.boolean(),
  /** Additive: why Muster turned it off, `gone` (410) or `failing`; empty otherwise. */
  disabled_reason: z.string(),
  disabled_at: z.string().nullable(),
  demo: z.boolean(),
  /** Additive: when the first attempt since the last success failed. */
  failing_since: z.string().nullable(),
  /** Additive: until when the secret before the rotation signs, too. */
  previous_secret_until: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type WebhookResource = z.output<typeof WebhookResource>;

/** With the secret, which no other response contains. */
export const WebhookWithSecret = WebhookResource.extend({ secret: z.string() });
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>;

const json = z.record(z.string(), z.unknown());

export const DeliveryResource = z.object({
  uid: z.string(),
  subscription: z.string(),
  event_type: z.string(),
  payload: json,
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
  attempts: z.int(),
  next_retry_at: z.string().nullable(),
  status: z.enum(deliveryStatuses),
  /** Additive: why the last attempt failed, as text. */
  error: z.string().nullable(),
  /** Additive: the delivery that this one repeats. */
  replay_of: z.string().nullable(),
  /** Additive: the replay that made it. */
  replay_uid: z.string().nullable(),
  /** Additive: what the event is about. */
  object: z.object({ kind: z.enum(eventObjectKinds), uid: z.string(), name: z.string() }).nullable(),
  /** Additive: of the last attempt. */
  duration_ms: z.int().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DeliveryResource = z.output<typeof DeliveryResource>;

const AttemptResource = z.object({
  uid: z.string(),
  started_at: z.string(),
  duration_ms: z.int(),
  ok: z.boolean(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response: z.string().nullable(),
  /** Additive: as they were sent; null for attempts before they were stored. */
  request_headers: z.record(z.string(), z.string()).nullable(),
});
type AttemptResource = z.output<typeof AttemptResource>;

/** One delivery with all attempts, oldest first. */
export const DeliveryDetail = DeliveryResource.extend({ attempt_log: z.array(AttemptResource) });
export type DeliveryDetail = z.output<typeof DeliveryDetail>;

export const TestQueued = z.object({ detail: z.string(), delivery_uid: z.string() });
export const ReplayResult = z.object({
  queued: z.int(),
  /** Additive. */
  replay_uid: z.string(),
});

/** A replay with its progress. */
export const ReplayResource = z.object({
  uid: z.string(),
  webhook: z.string(),
  status: z.enum(replayStatuses),
  /** The deliveries that it took. */
  total: z.int(),
  per_second: z.int().nullable(),
  /** Those whose first attempt has ended: delivered, failed, or waiting for a retry. */
  done: z.int(),
  delivered: z.int(),
  failed: z.int(),
  retrying: z.int(),
  /** Not sent, because it was stopped. */
  dropped: z.int(),
  created_by: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type ReplayResource = z.output<typeof ReplayResource>;

/** What a replay would send. */
export interface ReplayPreview {
  count: number;
  /** There are more than one replay takes. */
  more: boolean;
  first_at: string | null;
  last_at: string | null;
}
