import { z } from "zod";
import { address, channelKind } from "@/domain/channels/kind";
import { nonBlank } from "@/domain/fields";

export const pagerduty = channelKind({
  config: z.object({
    routing_key: nonBlank(255),
    /**
     * Where events go when not to the service's own address: its European one, or one that speaks the same protocol.
     */
    url: address().optional(),
  }),
  secrets: ["routing_key"],
  urls: ["url"],
  generatedSecret: null,
});
