import { z } from "zod";

/** What an organization may have deleted after some days. */
export const retentionKinds = ["recordings", "events", "alerts", "audit"] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The limits of the days. The audit log shows for a quarter of a year who did what. */
export const minRetentionDays: Readonly<Record<RetentionKind, number>> = {
  recordings: 1,
  events: 1,
  alerts: 1,
  audit: 90,
};
export const maxRetentionDays = 3_650;

const days = (kind: RetentionKind) =>
  z
    .int({ error: (issue) => (issue.input === null ? undefined : "A valid integer is required.") })
    .min(minRetentionDays[kind])
    .max(maxRetentionDays)
    .nullable()
    .optional();

/** Days after which a kind is deleted; null or absent: never. */
export const RetentionSettings = z.object({
  recordings_days: days("recordings"),
  events_days: days("events"),
  alerts_days: days("alerts"),
  audit_days: days("audit"),
});
export type RetentionSettings = z.output<typeof RetentionSettings>;

export const daysMember = (kind: RetentionKind): keyof RetentionSettings => `${kind}_days`;

/** The days that settings give a kind; null for none. */
export const getRetentionDays = (settings: RetentionSettings | undefined, kind: RetentionKind): number | null =>
  settings?.[daysMember(kind)] ?? null;
