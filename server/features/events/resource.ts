import { z } from "zod";
import { eventSources, eventTypes } from "@/domain/events/event-type";
import { SeveritySchema } from "@/domain/events/schema";
import { isoFromNs } from "@/domain/time/nanoseconds";

/** An event; `timestamp` to the millisecond, `duration_ms` in milliseconds with fractions. */
export const EventResource = z.object({
  uid: z.string(),
  recording_id: z.string(),
  device_id: z.string(),
  type: z.enum(eventTypes),
  label: z.string(),
  description: z.string(),
  timestamp: z.string(),
  duration_ms: z.number().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  severity: SeveritySchema,
  source: z.enum(eventSources),
  rule_id: z.string().nullable(),
  created_at: z.string(),
});
export type EventResource = z.output<typeof EventResource>;

/** A row as stored, times still in nanoseconds. */
export type EventRow = Omit<EventResource, "timestamp" | "duration_ms"> & {
  timestamp_ns: bigint | number | string;
  duration_ns: bigint | number | string | null;
};

export function serializeEvent({ timestamp_ns, duration_ns, ...rest }: EventRow): EventResource {
  return {
    ...rest,
    timestamp: isoFromNs(BigInt(timestamp_ns)),
    duration_ms: duration_ns === null ? null : Number(duration_ns) / 1e6,
  };
}
