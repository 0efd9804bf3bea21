import { z } from "zod";
import { choice, choices, distinct, nonBlank, pageFields, tags, text, uid } from "@/domain/fields";
import { maxNameLength, maxNamed, maxReasonLength } from "@/domain/limits";
import { severities } from "@/domain/severity";
import { silenceStates } from "@/domain/silences/silence-state";
import { timestamp, timeZone } from "@/domain/time/fields";

const ids = () => distinct(nonBlank(100), maxNamed);

/**
 * What a silence mutes: alerts that match every given list; the device must have all of `tags`. Nested, so its members
 * have their wire names. At least one list must not be empty, so that an omission cannot mute the whole fleet.
 */
export const Matchers = z
  .object({
    device_ids: ids().optional(),
    rule_ids: ids().optional(),
    severities: z
      .array(choice(severities))
      .max(severities.length)
      .transform((list) => [...new Set(list)])
      .optional(),
    tags: tags().optional(),
  })
  .refine((matchers) => Object.values(matchers).some((list) => list !== undefined && list.length > 0), {
    error: "Name at least one device, rule, severity or tag.",
  });
export type Matchers = z.output<typeof Matchers>;

const hour = () => z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "Enter a time of day such as 22:00." });

/**
 * The hours in which a recurring silence mutes: between two times of day in a time zone, past midnight when the second
 * is not later, on the days it begins (0 is Sunday). Nested, so its members have their wire names.
 */
export const Recurrence = z
  .object({
    days: z
      .array(z.int().min(0).max(6))
      .min(1, { error: "Choose at least one day." })
      .transform((list) => [...new Set(list)].sort((a, b) => a - b)),
    from: hour(),
    to: hour(),
    time_zone: timeZone(),
  })
  .refine(({ from, to }) => from !== to, { error: "The hours must differ.", path: ["to"] });
export type Recurrence = z.output<typeof Recurrence>;

export const CreateSilence = z.object({
  matchers: Matchers,
  reason: nonBlank(maxReasonLength),
  ticket: text(maxNameLength).optional(),
  /** Default: now. */
  starts_at: timestamp().optional(),
  ends_at: timestamp(),
  /** Additive: mutes only in these hours between its start and its end; null throughout. */
  recurrence: Recurrence.nullable().optional(),
  /** Additive: part of the demo fleet, which is removed as a whole. */
  demo: z.boolean().optional(),
});
export type CreateSilence = z.output<typeof CreateSilence>;

export const UpdateSilence = CreateSilence.omit({ demo: true }).partial();
export type UpdateSilence = z.output<typeof UpdateSilence>;

export const PreviewSilence = z.object({ matchers: Matchers });
export type PreviewSilence = z.output<typeof PreviewSilence>;

export const SilenceFilters = z.object({ state: choices(silenceStates).optional(), ...pageFields() });
export type SilenceFilters = z.output<typeof SilenceFilters>;

export const SilenceUid = z.object({ uid: uid("silence") });

/** Objects whose names are needed to show matchers. */
export const MatcherNames = z.object({ device_ids: ids(), rule_ids: ids() });
export type MatcherNames = z.output<typeof MatcherNames>;
