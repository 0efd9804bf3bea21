import { z } from "zod";
import { silenceStates } from "@/server/silences/schema";

/** What a silence mutes at this moment. */
export const Mutes = z.object({ open_alerts: z.int(), rules: z.int(), devices: z.int() });
export type Mutes = z.output<typeof Mutes>;

export const SilenceResource = z.object({
  uid: z.string(),
  matchers: z.object({
    device_ids: z.array(z.string()).optional(),
    rule_ids: z.array(z.string()).optional(),
    severities: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
  }),
  reason: z.string(),
  ticket: z.string(),
  creator: z.string(),
  state: z.enum(silenceStates),
  starts_at: z.string(),
  ends_at: z.string(),
  /** Zero everywhere once it has expired. */
  mutes: Mutes,
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SilenceResource = z.output<typeof SilenceResource>;
