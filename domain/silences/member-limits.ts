import type { Matchers } from "@/domain/silences/schema";

const dayMs = 24 * 60 * 60_000;

/** How long a silence of a member lasts at most. */
const maxMemberDays = 7;

/** The clock of a browser may be ahead, and requests take a moment. */
const leewayMs = 60_000;

/** Whether matchers name what they mute; severities alone mute alerts of the complete fleet. */
const namesTarget = ({ device_ids = [], rule_ids = [], tags = [] }: Matchers): boolean =>
  device_ids.length + rule_ids.length + tags.length > 0;

/** Whether a member may make such a silence; admins may make all. */
export const isWithinMemberLimits = (silence: { matchers: Matchers; startsAt: Date; endsAt: Date }): boolean =>
  namesTarget(silence.matchers) &&
  silence.endsAt.getTime() - silence.startsAt.getTime() <= maxMemberDays * dayMs + leewayMs;
