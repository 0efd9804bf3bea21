import { z } from "zod";
import { address, channelKind } from "@/domain/channels/kind";
import { nonBlank } from "@/domain/fields";

export const pagerduty = channelKind({
  config: z.object({
    routing_key: nonBlank(255),
    /** Where to send events instead of the service's default address: its European one, or a compatible service. */
    url: address().optional(),
  }),
  secrets: ["routing_key"],
  urls: ["url"],
  generatedSecret: null,
});
