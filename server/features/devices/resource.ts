import { z } from "zod";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { SeveritySchema } from "@/domain/events/schema";
import { judgements } from "@/domain/health/meanings";
import type { Severity } from "@/domain/severity";

/** A device as REST, tRPC and webhooks contain it. Its token is in the response to its registration only. */
export const DeviceResource = z.object({
  uid: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.enum(deviceStatuses),
  tags: z.array(z.string()),
  last_seen_at: z.string().nullable(),
  firmware_version: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  metrics: z.record(z.string(), z.unknown()),
  group_ids: z.array(z.string()),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DeviceResource = z.output<typeof DeviceResource>;

/** A metric of a device as lists show it. */
export const MetricReading = z.object({
  name: z.string(),
  label: z.string(),
  /** The value for people: `35 %`. */
  text: z.string(),
  judgement: z.enum(judgements),
});
export type MetricReading = z.output<typeof MetricReading>;

/**
 * A device as its list shows it, with its open alerts (at most 100 are counted), the time of its newest recording, and
 * the metrics that the list has as columns.
 */
export const DeviceOverview = DeviceResource.extend({
  open_alerts: z.int(),
  worst_severity: SeveritySchema.nullable(),
  open_by_severity: z.object({ info: z.int(), warning: z.int(), error: z.int(), critical: z.int() } satisfies Record<
    Severity,
    z.ZodType
  >),
  last_recording_at: z.string().nullable(),
  readings: z.array(MetricReading),
  /** When the heartbeat that had these metrics was sent. */
  metrics_at: z.string().nullable(),
  /** A decimal string beyond 2^53. */
  storage_bytes: z.union([z.int(), z.string()]),
});
export type DeviceOverview = z.output<typeof DeviceOverview>;

/** The types, tags and firmware versions in use. */
export interface DeviceVocabulary {
  types: string[];
  firmware: string[];
  tags: string[];
}

export const RegisteredDevice = DeviceResource.extend({ device_token: z.string() });
export type RegisteredDevice = z.output<typeof RegisteredDevice>;

const IgnoredMetrics = z.array(z.object({ name: z.string(), reason: z.string() }));

export const HeartbeatResponse = z.object({
  uid: z.string(),
  status: z.enum(deviceStatuses),
  last_seen_at: z.string(),
  server_time: z.string(),
  interval_seconds: z.int(),
  offline_after_seconds: z.int(),
  /** Additive: metrics that are not kept over time, at most 100. */
  ignored: IgnoredMetrics,
});

/** Additive: what became of a batch of heartbeats; `repeated` were there before. */
export const HeartbeatBatchResponse = z.object({
  accepted: z.int(),
  repeated: z.int(),
  ignored: IgnoredMetrics,
});

export const GroupResource = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  device_count: z.int(),
  /** Additive: the group that it is in; null for an outermost one. */
  parent_id: z.string().nullable(),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type GroupResource = z.output<typeof GroupResource>;
export const GroupDetail = GroupResource.extend({ device_ids: z.array(z.string()) });
export type GroupDetail = z.output<typeof GroupDetail>;
