import { z } from "zod";
import { alertStatuses, resolutionReasons } from "@/domain/alerts/lifecycle";
import { choice, choices, commaList, distinct, nonBlank, pageFields, queryBoolean, text, uid } from "@/domain/fields";
import { maxNamed, maxTextLength } from "@/domain/limits";
import { severities } from "@/domain/severity";
import { timestamp } from "@/domain/time/fields";

const filters = {
  device_id: text(1_000).optional(),
  recording_id: text(1_000).optional(),
  rule_id: text(1_000).optional(),
  /** Alerts sent to this channel. */
  channel_id: text(1_000).optional(),
  status: choices(alertStatuses).optional(),
  severity: choices(severities).optional(),
  since: timestamp().optional(),
  until: timestamp().optional(),
  /** Usernames or user uids; `me`, and `none` for unassigned. */
  assignee: commaList().optional(),
  /** Whether an active silence mutes it now. */
  silenced: queryBoolean().optional(),
  snoozed: queryBoolean().optional(),
  demo: queryBoolean().optional(),
  q: text(255)
    .optional()
    .describe("Part of the message, or of the rule's or device's name; or the beginning of the uid."),
};

export const AlertFilters = z.object({ ...filters, ...pageFields() });
export type AlertFilters = z.output<typeof AlertFilters>;

/** What the counts of the inbox's tabs can be narrowed to. */
export const AlertCountFilters = z.object(filters).omit({ status: true, silenced: true, snoozed: true });
export type AlertCountFilters = z.output<typeof AlertCountFilters>;

export const AlertUid = z.object({ uid: uid("alert") });

const note = text(maxTextLength);

export const ResolveAlert = z.object({
  note: note.optional(),
  reason: choice(resolutionReasons).optional(),
});
export type ResolveAlert = z.output<typeof ResolveAlert>;

/** `assignee`: a username or user uid of the organization, `me`, or null to unassign. */
export const AssignAlert = z.object({ assignee: nonBlank(255).nullable() });
export type AssignAlert = z.output<typeof AssignAlert>;

/** Snoozes until a time; null ends the snooze. */
export const SnoozeAlert = z.object({ until: timestamp().nullable() });
export type SnoozeAlert = z.output<typeof SnoozeAlert>;

export const CreateComment = z.object({ body: nonBlank(maxTextLength) });
export type CreateComment = z.output<typeof CreateComment>;

export const CommentFilters = z.object(pageFields());
export type CommentFilters = z.output<typeof CommentFilters>;

const bulkActions = ["acknowledge", "resolve", "reopen", "assign", "snooze"] as const;

/** One action on many alerts; the other members are those of the single action. */
export const BulkAlerts = z.object({
  action: choice(bulkActions),
  uids: distinct(nonBlank(100), maxNamed, 1),
  note: note.optional(),
  reason: choice(resolutionReasons).optional(),
  assignee: AssignAlert.shape.assignee.optional(),
  until: SnoozeAlert.shape.until.optional(),
});
export type BulkAlerts = z.output<typeof BulkAlerts>;
