import { z } from "zod";
import { address, channelKind } from "@/domain/channels/kind";

export const webhook = channelKind({
  config: z.object({
    url: address(),
    signing_secret: z
      .string()
      .min(8, { error: "Ensure this field has at least 8 characters." })
      .max(255, { error: "Ensure this field has no more than 255 characters." })
      .optional(),
  }),
  secrets: ["signing_secret"],
  urls: ["url"],
  generatedSecret: "signing_secret",
});
