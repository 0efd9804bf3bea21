import { z } from "zod";
import { channelKind } from "@/domain/channels/kind";
import { distinct, email as emailAddress, text } from "@/domain/fields";

export const email = channelKind({
  config: z.object({
    recipients: distinct(emailAddress(), 50, 1),
    subject_prefix: text(100).optional(),
  }),
  secrets: [],
  urls: [],
  generatedSecret: null,
});
