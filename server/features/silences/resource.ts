import { z } from "zod";
import { silenceStates } from "@/domain/silences/silence-state";

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
  /** The hours in which it mutes, or null when it does so throughout. */
  recurrence: z.object({ days: z.array(z.int()), from: z.string(), to: z.string(), time_zone: z.string() }).nullable(),
  /** Whether it mutes at this moment: it is active and, where it repeats, within its hours. */
  muting: z.boolean(),
  /** Of one that repeats, the hours it is in or that come next. */
  window: z.object({ starts_at: z.string(), ends_at: z.string() }).nullable(),
  /** Zero everywhere once it has expired. */
  mutes: Mutes,
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SilenceResource = z.output<typeof SilenceResource>;
