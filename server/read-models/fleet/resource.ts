import { z } from "zod";
import { alertStatuses } from "@/domain/alerts/lifecycle";
import { deviceStatuses, type DeviceStatus } from "@/domain/devices/connectivity";
import { eventTypes } from "@/domain/events/event-type";
import { SeveritySchema } from "@/domain/events/schema";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import { AlertCounts } from "@/server/features/alerts/resource";

const severity = SeveritySchema;
const worst = severity.nullable();

/** A rule or a device that raised more alerts in the period than in the one before. */
export const AlertRise = z.object({
  uid: z.string(),
  name: z.string(),
  alerts: z.int().describe("Alerts of the period."),
  before: z.int().describe("Alerts of the period before."),
  worst_severity: severity,
});

export const FleetHealth = z.object({
  since: z.string(),
  until: z.string(),
  demo_only: z.boolean().describe("Whether only the demo fleet exists."),
  devices: z
    .object({ online: z.int(), offline: z.int(), maintenance: z.int() } satisfies Record<DeviceStatus, z.ZodInt>)
    .describe("Devices by status."),
  open_alerts: AlertCounts.shape.open_by_severity.describe(
    "Open alerts by severity, without silenced and snoozed ones.",
  ),
  recordings: z
    .object({ count: z.int(), failed: z.int().describe("How many could not be processed.") })
    .describe("Recordings of the period."),
  ceiling: z.int().describe("Counting stops here: this many or more."),
  offline: z
    .array(
      z.object({
        uid: z.string(),
        name: z.string(),
        offline_since: z.string().nullable().describe("Null when it was never online."),
        last_seen_at: z.string().nullable(),
        open_alerts: z.int(),
        worst_severity: worst,
      }),
    )
    .describe("At most 20 devices that are offline, the last seen first."),
  worse: z
    .object({ rules: z.array(AlertRise), devices: z.array(AlertRise) })
    .describe("What raised more alerts than before, most first."),
});
export type FleetHealth = z.output<typeof FleetHealth>;

export const OpenAlert = z.object({
  uid: z.string(),
  severity,
  message: z.string(),
  why: z.array(z.string()).describe("What was required, and the value seen; a line for each condition that held."),
  rule_id: z.string(),
  rule_name: z.string(),
  condition_text: z.string().nullable().describe("The rule's condition in words; null once the rule is deleted."),
  device_id: z.string(),
  device_name: z.string(),
  device_status: z.enum(deviceStatuses).nullable(),
  recording_id: z.string().nullable(),
  recording_name: z.string().nullable(),
  triggered_at: z.string(),
  occurrence_count: z.int(),
  assignee: z.string().nullable(),
});
export type OpenAlert = z.output<typeof OpenAlert>;

export const DeviceActivity = z.object({
  device: z.object({
    uid: z.string(),
    name: z.string(),
    type: z.string(),
    status: z.enum(deviceStatuses),
    last_seen_at: z.string().nullable(),
  }),
  from: z.string(),
  to: z.string(),
  states: z
    .array(z.object({ at: z.string(), status: z.enum(deviceStatuses), reason: z.string() }))
    .describe("Changes of its status, with the first."),
  recordings: z.array(
    z.object({
      uid: z.string(),
      name: z.string(),
      status: z.enum(recordingStatuses),
      from: z.string(),
      to: z.string(),
      open_alerts: z.int(),
    }),
  ),
  events: z.array(
    z.object({
      at: z.string(),
      uid: z.string(),
      type: z.enum(eventTypes),
      severity,
      label: z.string(),
      recording_id: z.string(),
    }),
  ),
  alerts: z.array(
    z.object({
      at: z.string(),
      uid: z.string(),
      severity,
      status: z.enum(alertStatuses),
      rule_name: z.string(),
      message: z.string(),
    }),
  ),
  capped: z.boolean().describe("More happened than is listed."),
});
export type DeviceActivity = z.output<typeof DeviceActivity>;
