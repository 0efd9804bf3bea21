import { z } from "zod";
import { channelTypes, type ChannelType } from "@/domain/channels/channel-type";
import { deliveryStatuses } from "@/domain/channels/delivery-status";
import { choice, choices, distinct, email, nonBlank, pageFields, text, uid } from "@/domain/fields";
import { maxNameLength, maxUrlLength } from "@/domain/limits";

const url = () => nonBlank(maxUrlLength);

/** What each kind of channel is made of. Members are nested in `config`, so they have their wire names. */
export const channelConfigs = {
  slack: z.object({ webhook_url: url(), channel: text(100).optional(), username: text(100).optional() }),
  email: z.object({
    recipients: distinct(email(), 50, 1),
    subject_prefix: text(100).optional(),
  }),
  webhook: z.object({
    url: url(),
    signing_secret: z
      .string()
      .min(8, { error: "Ensure this field has at least 8 characters." })
      .max(255, { error: "Ensure this field has no more than 255 characters." })
      .optional(),
  }),
  pagerduty: z.object({
    routing_key: nonBlank(255),
    /**
     * Where events go when not to the service's own address: its European one, or one that speaks the same protocol.
     */
    url: url().optional(),
  }),
  teams: z.object({ webhook_url: url() }),
} as const satisfies Record<ChannelType, z.ZodObject>;

/** The whole configuration, secrets in the clear: only ever in memory. */
export type ChannelConfig<T extends ChannelType> = z.output<(typeof channelConfigs)[T]>;

/** Members that are never shown again once stored. */
export const secretMembers: Record<ChannelType, readonly string[]> = {
  slack: ["webhook_url"],
  email: [],
  webhook: ["signing_secret"],
  pagerduty: ["routing_key"],
  teams: ["webhook_url"],
};

/** Members that name an address the platform will send to. */
export const urlMembers: Record<ChannelType, readonly string[]> = {
  slack: ["webhook_url"],
  email: [],
  webhook: ["url"],
  pagerduty: ["url"],
  teams: ["webhook_url"],
};

const config = z.record(z.string(), z.unknown());

export const CreateChannel = z.object({
  name: nonBlank(maxNameLength),
  type: choice(channelTypes),
  config: config.optional(),
  /** Additive: part of the demo fleet, which is removed as a whole. */
  demo: z.boolean().optional(),
});
export type CreateChannel = z.output<typeof CreateChannel>;

/**
 * `config` merges: members given replace, null removes, a masked secret sent back stays what it was. The type is fixed.
 */
export const UpdateChannel = z.object({ name: nonBlank(maxNameLength).optional(), config: config.optional() });
export type UpdateChannel = z.output<typeof UpdateChannel>;

export const ChannelFilters = z.object({ type: choices(channelTypes).optional(), ...pageFields() });
export type ChannelFilters = z.output<typeof ChannelFilters>;

export const ChannelUid = z.object({ uid: uid("channel") });

export const DeliveryFilters = z.object({ status: choices(deliveryStatuses).optional(), ...pageFields() });
export type DeliveryFilters = z.output<typeof DeliveryFilters>;
