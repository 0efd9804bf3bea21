import { z } from "zod";
import { alertStatuses } from "@/domain/alerts/lifecycle";
import { deliveryStates } from "@/domain/channels/delivery-status";
import { SeveritySchema } from "@/domain/events/schema";
import type { Severity } from "@/domain/severity";
import { isoTime, isoTimeOrNull } from "@/domain/wire-values";

export const AlertResource = z.object({
  uid: z.string(),
  rule_id: z.string(),
  rule_name: z.string(),
  rule_version: z.int(),
  device_id: z.string(),
  device_name: z.string(),
  recording_id: z.string().nullable(),
  severity: SeveritySchema,
  status: z.enum(alertStatuses),
  message: z.string(),
  occurrence_count: z.int(),
  triggered_at: z.string(),
  acknowledged_at: z.string().nullable(),
  acknowledged_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  resolved_by: z.string().nullable(),
  /** From triggered_at to resolved_at, ISO 8601. */
  duration: z.string().nullable(),
  note: z.string(),
  resolution_reason: z.string().nullable(),
  assignee: z.string().nullable(),
  assignee_id: z.string().nullable(),
  snoozed_until: z.string().nullable(),
  /** Whether an active silence matches it. `silence_id` is that silence, else the one that suppressed its messages. */
  silenced: z.boolean(),
  silence_id: z.string().nullable(),
  delivery: z.enum(deliveryStates),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type AlertResource = z.output<typeof AlertResource>;

/** An alert with its evidence, which lists leave out. */
export const AlertDetail = AlertResource.extend({ evidence: z.record(z.string(), z.unknown()) });
export type AlertDetail = z.output<typeof AlertDetail>;

export const Acknowledgement = AlertResource.pick({
  uid: true,
  status: true,
  acknowledged_at: true,
  acknowledged_by: true,
});
export type Acknowledgement = z.output<typeof Acknowledgement>;

export const AlertCounts = z.object({
  open: z.int(),
  acknowledged: z.int(),
  resolved: z.int(),
  silenced: z.int(),
  snoozed: z.int(),
  /** Open alerts by severity. */
  open_by_severity: z.object({
    info: z.int(),
    warning: z.int(),
    error: z.int(),
    critical: z.int(),
  } satisfies Record<Severity, z.ZodInt>),
  /** Counting stops at this number; a count that equals it means "that many or more". */
  ceiling: z.int(),
});
export type AlertCounts = z.output<typeof AlertCounts>;

export const CommentResource = z.object({
  uid: z.string(),
  alert_id: z.string(),
  author: z.string(),
  author_id: z.string(),
  body: z.string(),
  created_at: z.string(),
});
export type CommentResource = z.output<typeof CommentResource>;

export const BulkResult = z.object({
  results: z.array(
    z.object({
      uid: z.string(),
      ok: z.boolean(),
      status: z.enum(alertStatuses).nullable(),
      error: z.string().nullable(),
    }),
  ),
  succeeded: z.int(),
  failed: z.int(),
});
export type BulkResult = z.output<typeof BulkResult>;

const timelineKinds = ["triggered", "change", "comment", "delivery"] as const;
export const TimelineEntry = z.object({
  /** When it happened; the trigger of an alert may have been long before it was found. */
  at: z.string(),
  kind: z.enum(timelineKinds),
  /** What happened: `alert.acknowledged`, `delivered`, `comment` … */
  action: z.string(),
  /** The actor's name; null when a rule or the platform acted. */
  actor: z.string().nullable(),
  text: z.string(),
  channel_id: z.string().nullable(),
});
export type TimelineEntry = z.output<typeof TimelineEntry>;

type Time = Date | string;

/** A row of the alert statements, with times as Date or as ISO text. */
export type AlertRow = Omit<
  AlertResource,
  | "duration"
  | "silenced"
  | "triggered_at"
  | "acknowledged_at"
  | "resolved_at"
  | "snoozed_until"
  | "created_at"
  | "updated_at"
> & {
  active_silence_id: string | null;
  triggered_at: Time;
  acknowledged_at: Time | null;
  resolved_at: Time | null;
  snoozed_until: Time | null;
  created_at: Time;
  updated_at: Time;
};

/** The whole seconds between two times as ISO 8601 (`PT1H4M12S`), at most in hours; never negative. */
export function isoDuration(from: Time, to: Time): string {
  const total = Math.max(0, Math.floor((new Date(to).getTime() - new Date(from).getTime()) / 1_000));
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor((total % 3_600) / 60), total % 60];
  const text = `${hours ? `${hours}H` : ""}${minutes ? `${minutes}M` : ""}${seconds ? `${seconds}S` : ""}`;
  return `PT${text || "0S"}`;
}

/** An alert as REST, tRPC and messages contain it. */
export function serializeAlert({ active_silence_id, ...row }: AlertRow): AlertResource {
  return {
    ...row,
    triggered_at: isoTime(row.triggered_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    resolved_at: isoTimeOrNull(row.resolved_at),
    duration: row.resolved_at === null ? null : isoDuration(row.triggered_at, row.resolved_at),
    snoozed_until: isoTimeOrNull(row.snoozed_until),
    silenced: active_silence_id !== null,
    silence_id: active_silence_id ?? row.silence_id,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
