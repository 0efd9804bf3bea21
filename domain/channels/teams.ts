import { z } from "zod";
import { address, channelKind } from "@/domain/channels/kind";

export const teams = channelKind({
  config: z.object({ webhook_url: address() }),
  secrets: ["webhook_url"],
  urls: ["webhook_url"],
  generatedSecret: null,
});
