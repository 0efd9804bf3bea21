import { z } from "zod";
import { address, channelKind } from "@/domain/channels/kind";
import { text } from "@/domain/fields";

export const slack = channelKind({
  config: z.object({ webhook_url: address(), channel: text(100).optional(), username: text(100).optional() }),
  secrets: ["webhook_url"],
  urls: ["webhook_url"],
  generatedSecret: null,
});
