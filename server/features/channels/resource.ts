import { z } from "zod";
import { channelTypes } from "@/domain/channels/channel-type";
import { deliveryStatuses } from "@/domain/channels/delivery-status";

/** A channel; secrets in its configuration are masked. */
export const ChannelResource = z.object({
  uid: z.string(),
  name: z.string(),
  type: z.enum(channelTypes),
  config: z.record(z.string(), z.unknown()),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ChannelResource = z.output<typeof ChannelResource>;

/** A new channel. `signing_secret` is present, in this response only, when it was generated. */
export const CreatedChannel = ChannelResource.extend({ signing_secret: z.string().optional() });
export type CreatedChannel = z.output<typeof CreatedChannel>;

export const TestResult = z.object({
  ok: z.boolean(),
  detail: z.string(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  /** The response time of the receiver. */
  duration_ms: z.int(),
});
export type TestResult = z.output<typeof TestResult>;

export const AttemptResource = z.object({
  started_at: z.string(),
  duration_ms: z.int(),
  ok: z.boolean(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response: z.string().nullable(),
});
export type AttemptResource = z.output<typeof AttemptResource>;

/** One message to a channel with its status and its attempts, oldest first. */
export const DeliveryResource = z.object({
  uid: z.string(),
  channel_id: z.string(),
  alert_id: z.string().nullable(),
  event: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  next_retry_at: z.string().nullable(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  attempt_log: z.array(AttemptResource),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DeliveryResource = z.output<typeof DeliveryResource>;
