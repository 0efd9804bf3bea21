import { z } from "zod";
import { silenceStates } from "@/domain/silences/silence-state";

/** The number of objects that a silence currently mutes. */
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
  /** Who made it; null for those of Muster itself. Members may change only their own silences. */
  created_by_uid: z.string().nullable(),
  state: z.enum(silenceStates),
  starts_at: z.string(),
  ends_at: z.string(),
  /** The hours in which it mutes; null when it mutes throughout. */
  recurrence: z.object({ days: z.array(z.int()), from: z.string(), to: z.string(), time_zone: z.string() }).nullable(),
  /** Whether it mutes now: it is active and, if recurring, within its hours. */
  muting: z.boolean(),
  /** The current or next window of a recurring silence. */
  window: z.object({ starts_at: z.string(), ends_at: z.string() }).nullable(),
  /** Zero everywhere once it has expired. */
  mutes: Mutes,
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SilenceResource = z.output<typeof SilenceResource>;
