import { z } from "zod";
import { channelTypes } from "@/domain/channels/channel-type";
import { deliveryStatuses } from "@/domain/channels/delivery-status";
import { channelKinds } from "@/domain/channels/registry";
import { choice, choices, nonBlank, pageFields, uid } from "@/domain/fields";
import { maxNameLength } from "@/domain/limits";
import { publishedVariants } from "@/domain/published";

const config = z.record(z.string(), z.unknown());

/** The type determines which members `config` has; the service checks them. */
export const CreateChannel = publishedVariants(
  z.object({
    name: nonBlank(maxNameLength),
    type: choice(channelTypes),
    config: config.optional(),
    /** Additive: part of the demo fleet, which is removed as a whole. */
    demo: z.boolean().optional(),
  }),
  channelTypes.map((type) => z.object({ type: z.literal(type), config: channelKinds[type].config })),
);
export type CreateChannel = z.output<typeof CreateChannel>;

/** `config` merges: given members replace, null removes, a masked secret leaves the stored one. The type is fixed. */
export const UpdateChannel = z.object({ name: nonBlank(maxNameLength).optional(), config: config.optional() });
export type UpdateChannel = z.output<typeof UpdateChannel>;

export const ChannelFilters = z.object({ type: choices(channelTypes).optional(), ...pageFields() });
export type ChannelFilters = z.output<typeof ChannelFilters>;

export const ChannelUid = z.object({ uid: uid("channel") });

export const DeliveryFilters = z.object({ status: choices(deliveryStatuses).optional(), ...pageFields() });
export type DeliveryFilters = z.output<typeof DeliveryFilters>;
