import type { Matchers } from "@/domain/silences/schema";

const dayMs = 24 * 60 * 60_000;

/** How long a silence of a member lasts at most. */
const maxDays = 7;

/** The clock of a browser may be ahead, and requests take a moment. */
const leewayMs = 60_000;

interface Wanted {
  matchers: Pick<Matchers, "device_ids" | "rule_ids" | "tags">;
  startsAt: Date;
  endsAt: Date;
}

/**
 * Why a member may not make such a silence, by field; empty when they may. Severities alone would mute alerts of the
 * complete fleet. Admins have no limits.
 */
export function explainMemberLimits({ matchers, startsAt, endsAt }: Wanted): Record<string, string> {
  const { device_ids: devices = [], rule_ids: rules = [], tags = [] } = matchers;
  return {
    ...(devices.length + rules.length + tags.length === 0 && {
      matchers: "Members name a device, rule or tag; only admins silence all of them.",
    }),
    ...(endsAt.getTime() - startsAt.getTime() > maxDays * dayMs + leewayMs && {
      ends_at: `Members silence for at most ${maxDays} days; admins for longer.`,
    }),
  };
}
