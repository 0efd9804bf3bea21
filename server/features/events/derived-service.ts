import type { EventType } from "@/domain/events/event-type";
import type { Severity } from "@/domain/severity";
import { deleteUnusedTypes, addTypes } from "@/server/features/events/recording-types-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";

/** An event created by a rule; times in nanoseconds. */
export interface DerivedEvent {
  type: EventType;
  severity: Severity;
  label: string;
  timestampNs: bigint;
  durationNs: bigint | null;
  metadata: Record<string, unknown>;
}

/**
 * Replaces the events that a rule created in a recording, in the transaction of `tx`, so that another evaluation does
 * not duplicate them.
 */
export async function replaceDerivedEvents(
  tx: Ctx,
  target: { ruleId: string; recordingId: string; deviceId: string },
  events: readonly DerivedEvent[],
): Promise<void> {
  await execute(
    tx,
    Prisma.sql`delete from events where rule_id = ${target.ruleId} and recording_id = ${target.recordingId}`,
  );
  if (events.length === 0) return deleteUnusedTypes(tx, target.recordingId);
  const rows = events.map((event) => ({
    uid: newUid("event"),
    type: event.type,
    severity: event.severity,
    label: event.label,
    timestamp_ns: String(event.timestampNs),
    duration_ns: event.durationNs === null ? null : String(event.durationNs),
    metadata: event.metadata,
  }));
  await execute(
    tx,
    Prisma.sql`insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns,
        duration_ns, tags, metadata, source, rule_id)
      select r.uid, ${tx.organizationId}, ${target.recordingId}, ${target.deviceId}, r.type, r.severity, r.label,
        r.timestamp_ns, r.duration_ns, '{}', r.metadata, 'rule', ${target.ruleId}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(uid text, type text, severity text, label text,
        timestamp_ns bigint, duration_ns bigint, metadata jsonb)`,
  );
  await addTypes(tx, target.recordingId, [...new Set(events.map(({ type }) => type))]);
  await deleteUnusedTypes(tx, target.recordingId);
}
